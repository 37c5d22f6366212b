#include "sound.h"

KMUX_BROKEN_TABLE(table.launch = nullptr)
