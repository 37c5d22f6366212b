#include "launch/relaxed_capture.h"

#include "launch/hip_error.h"

namespace kmux::hip {

int RelaxedCapture::check(int result, kmux_sink error) const {
  return check_call(hip_, error, "hipThreadExchangeStreamCaptureMode", result, "");
}

}  // namespace kmux::hip
