#include "backend.h"

KMUX_PLUGIN(kmux::metal::MetalBackend)
