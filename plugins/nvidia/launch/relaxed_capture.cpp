#include "nvidia/launch/relaxed_capture.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {

int RelaxedCapture::check(CUresult result, kmux_sink error) const {
  if (result == CUDA_SUCCESS) return KMUX_OK;
  return fail_call(driver_, error, "cuThreadExchangeStreamCaptureMode", result, "%s", "");
}

}  // namespace kmux::nvidia
