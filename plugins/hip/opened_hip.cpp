#include "opened_hip.h"

#include "kmux/plugin/failure_text.h"

#include "launch/hip_error.h"

namespace kmux::hip {

std::string named_library(const Host& host) { return host.option("hip.library").value_or(""); }

Result<const HipTable*> opened_hip(const Host& host) {
  FailureText failure;
  const HipTable* const hip = open_hip(named_library(host).c_str(), failure.sink());
  if (hip == nullptr) return failure.unavailable();
  return hip;
}

Status check(const HipTable& hip, const char* call, int result, const std::string& detail) {
  if (result == kHipSuccess) return Ok{};
  FailureText failure;
  return failure.status(fail_call(hip, failure.sink(), call, result, detail));
}

Availability probe_runtime(const Host& host) {
  const auto hip = opened_hip(host);
  if (!hip) return {"no_driver", hip.error().message};
  int count = 0;
  int result = (*hip)->device_count(&count);
  if (result == kHipSuccess && count > 0) return {};
  if (result == kHipSuccess) result = kNoDevice;
  const bool is_empty = result == kNoDevice || result == kInvalidDevice;
  return {is_empty ? "no_device" : "no_driver", check(**hip, "hipGetDeviceCount", result).error().message};
}

}  // namespace kmux::hip
