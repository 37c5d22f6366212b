#include "backend.h"

KMUX_PLUGIN(kmux::null::NullBackend)
