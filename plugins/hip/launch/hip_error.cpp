#include "launch/hip_error.h"

namespace kmux::hip {
namespace {

const char* text_of(const char* (*function)(int), int result) {
  const char* const text = function == nullptr ? nullptr : function(result);
  return text == nullptr ? "unknown" : text;
}

const char* advice_for(int result) {
  if (says_capturing(result)) return "Do this before the capture begins, or on a stream that is not captured.";
  switch (result) {
    case kInvalidValue:
    case kInvalidConfiguration:
      return "Check extents, shared memory and addresses against the limits of the device.";
    case kOutOfMemory:
      return "Free memory of the device.";
    case kNotInitialized:
    case kDeinitialized:
      return "Do not use kernels while the process ends.";
    case kNoDevice:
    case kInsufficientDriver:
      return "See what rocminfo lists, whether this user may open /dev/kfd, and what HIP_VISIBLE_DEVICES hides.";
    case kInvalidDevice:
      return "Pass an ordinal below the number of devices.";
    case kInvalidImage:
    case kInvalidKernelFile:
    case kSharedObjectInitFailed:
      return "The code is damaged, or none for AMD's devices: compile it again.";
    case kNoBinaryForGpu:
      return "The code is for other devices: compile it for the architecture of this one.";
    case kInvalidDeviceFunction:
    case kNotFound:
      return "Check the name of the kernel in the sources, and what may leave it out of the code.";
    case kInvalidContext:
    case kContextIsDestroyed:
    case kInvalidHandle:
      return "Pass a stream of this device that still exists.";
    case kIllegalAddress:
    case kAssert:
    case kLaunchFailure:
    case kLaunchTimeOut:
      return "A kernel before failed: find it with AMD_SERIALIZE_KERNEL=3, then start the process again.";
    case kLaunchOutOfResources:
      return "Use fewer threads a block, or fewer registers a thread.";
    case kCooperativeLaunchTooLarge:
      return "Launch fewer blocks: those of a cooperative launch run at the same time.";
    case kNotSupported:
      return "Use a device and a release of ROCm that can do this.";
    default:
      return "Look the number up under hipError_t in HIP's documentation.";
  }
}

}  // namespace

int fail(kmux_sink error, int code, const std::string& text) {
  error.write(error.self, text.data(), text.size());
  return code;
}

int fail_call(const HipTable& hip, kmux_sink error, const char* call, int result, const std::string& detail) {
  const std::string reason = std::string(text_of(hip.error_string, result)) + (detail.empty() ? "" : "; " + detail);
  return fail(error, error_code_of(result),
              std::string(call) + " failed with " + name_of(hip, result) + " (" + reason + "). " + advice_for(result));
}

int error_code_of(int result) {
  switch (result) {
    case kHipSuccess:
      return KMUX_OK;
    case kInvalidDevice:
    case kInvalidImage:
    case kInvalidKernelFile:
    case kSharedObjectInitFailed:
    case kNoBinaryForGpu:
    case kInvalidDeviceFunction:
    case kNotFound:
    case kCooperativeLaunchTooLarge:
      return KMUX_INVALID_ARGUMENT;
    case kNotSupported:
      return KMUX_UNSUPPORTED;
    case kOutOfMemory:
    case kNotInitialized:
    case kDeinitialized:
    case kNoDevice:
    case kInsufficientDriver:
      return KMUX_UNAVAILABLE;
    default:
      return KMUX_LAUNCH_FAILED;
  }
}

bool says_capturing(int result) { return result >= kStreamCaptureUnsupported && result <= kStreamCaptureWrongThread; }

std::string name_of(const HipTable& hip, int result) {
  return std::to_string(result) + " " + text_of(hip.error_name, result);
}

const char* CaptureCalls::name_of(int result) const { return text_of(hip.error_name, result); }

bool CaptureCalls::forbids_unloading(int result) {
  return says_capturing(result) || result == kNotInitialized || result == kDeinitialized ||
         result == kContextIsDestroyed || result == kInvalidContext;
}

}  // namespace kmux::hip
