#include "sound.h"

extern "C" int kmux_absent();

KMUX_BROKEN_TABLE(table.reserved = static_cast<std::uint32_t>(kmux_absent()))
