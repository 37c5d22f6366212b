// A libcuda.so.1 whose calls do nothing. KMUX_STUB_OLD only has cuInit, KMUX_STUB_DEVICELESS finds no device.
#include "nvidia/launch/driver_abi.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace kmux::nvidia {

#ifdef KMUX_STUB_DEVICELESS
constexpr CUresult kInitResult = CUDA_ERROR_NO_DEVICE;
#else
constexpr CUresult kInitResult = CUDA_SUCCESS;
#endif

#define KMUX_CALL(name, symbol, params) \
  extern "C" __attribute__((visibility("default"))) CUresult symbol params { return kInitResult; }
#ifdef KMUX_STUB_OLD
KMUX_CALL(init, cuInit, (unsigned flags))
#else
KMUX_DRIVER_CALLS(KMUX_CALL)
#endif
#undef KMUX_CALL

}  // namespace kmux::nvidia
