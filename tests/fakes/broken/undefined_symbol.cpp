#include "sound.h"

extern "C" void kmux_defined_nowhere();

KMUX_BROKEN_TABLE(kmux_defined_nowhere())
