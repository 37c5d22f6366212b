#include "nvidia/probe.h"

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/failure_text.h"

#include "nvidia/device_facts.h"

namespace kmux::nvidia {
namespace {

// A driver without devices is whole, but does not start.
bool driver_says_no_device() {
  const auto library = DynamicLibrary::open({"libcuda.so.1", "libcuda.so"});
  if (!library) return false;
  const auto init = library->function<CUresult(unsigned)>("cuInit");
  return init.ok() && (*init)(0) == CUDA_ERROR_NO_DEVICE;
}

}  // namespace

Availability probe_driver() {
  FailureText failure;
  if (open_driver(failure.sink()) == nullptr) {
    return {driver_says_no_device() ? "no_device" : "no_driver", failure.unavailable().message};
  }
  const Result<int> count = device_count();
  if (!count) return {"no_driver", count.error().message};
  if (*count > 0) return {};
  return {"no_device",
          "the CUDA driver lists no device. See what nvidia-smi lists, and what CUDA_VISIBLE_DEVICES hides."};
}

Availability no_toolchain(const Error& error) { return {"no_toolchain", error.message}; }

}  // namespace kmux::nvidia
