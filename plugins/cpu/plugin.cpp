#include "backend.h"

KMUX_PLUGIN(kmux::cpu::CpuBackend)
