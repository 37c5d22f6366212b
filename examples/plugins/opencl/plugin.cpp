#include "backend.h"

KMUX_PLUGIN(kmux::opencl::OpenClBackend)
