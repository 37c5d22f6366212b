#include "backend.h"

KMUX_PLUGIN(kmux::hip::HipBackend)
