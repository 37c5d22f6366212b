#include "sound.h"

KMUX_BROKEN_TABLE(table.name = "somebody_else")
