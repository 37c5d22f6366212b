#include "backend.h"

KMUX_PLUGIN(kmux::nvrtc::NvrtcBackend)
