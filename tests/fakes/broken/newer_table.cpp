#include "sound.h"

KMUX_BROKEN_TABLE(table.abi_version = 7)
