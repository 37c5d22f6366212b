#include "backend.h"

KMUX_PLUGIN(kmux::cuda::CudaBackend)
