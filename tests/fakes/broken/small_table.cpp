#include "sound.h"

KMUX_BROKEN_TABLE(table.struct_size = 64)
