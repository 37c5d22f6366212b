#include "nvidia/launch/driver_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace kmux::nvidia {
namespace {

// The driver's function for a text: cuGetErrorName or cuGetErrorString.
using TextOf = CUresult (*)(CUresult code, const char** text);

const char* text_of(TextOf function, CUresult result) {
  const char* text = nullptr;
  if (function == nullptr || function(result, &text) != CUDA_SUCCESS || text == nullptr) return "unknown";
  return text;
}

const char* advice_for(CUresult result) {
  if (says_capturing(result)) return "Do this before the capture begins, or on a stream that is not captured.";
  switch (result) {
    case CUDA_ERROR_INVALID_VALUE:
      return "Check extents, shared memory and addresses against the limits of the device.";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "Free memory of the device.";
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
      return "Do not use kernels while the process ends.";
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return "See what nvidia-smi lists, and what CUDA_VISIBLE_DEVICES hides.";
    case CUDA_ERROR_INVALID_DEVICE:
      return "Pass an ordinal below the number of devices.";
    case CUDA_ERROR_INVALID_IMAGE:
      return "The code is damaged, or none for NVIDIA's devices: compile it again.";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return "The code is for other devices: compile it for the architecture of this one.";
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "Install a driver that fits the toolkit and the kernel module, and start its services.";
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return "Keep the context of the device until its kernels are gone.";
    case CUDA_ERROR_INVALID_HANDLE:
      return "Pass a stream of this device that still exists.";
    case CUDA_ERROR_NOT_FOUND:
      return "Check the name of the kernel in the sources, and what may leave it out of the code.";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return "A kernel before failed and ended its context: find it with KMUX_LAUNCH_BLOCKING=1 or compute-sanitizer, "
             "then start the process again.";
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return "Use fewer threads a block, or fewer registers a thread.";
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return "Launch fewer blocks: those of a cooperative launch run at the same time.";
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return "Use smaller clusters, and a grid that they divide.";
    case CUDA_ERROR_NOT_SUPPORTED:
      return "Use a device and a driver that can do this.";
    default:
      return "Look the number up in the CUDA Driver API.";
  }
}

void write(kmux_sink sink, const char* text) { sink.write(sink.self, text, strlen(text)); }

}  // namespace

int fail(kmux_sink error, int code, const char* format, ...) {
  char text[2048];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  write(error, text);
  return code;
}

int fail_call(const DriverTable& driver, kmux_sink error, const char* call, CUresult result, const char* format, ...) {
  char detail[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(detail, sizeof detail, format, values);
  va_end(values);
  fail(error, 0, "%s failed with %d %s (%s%s%s). ", call, static_cast<int>(result), error_name_of(driver, result),
       error_text_of(driver, result), detail[0] == '\0' ? "" : "; ", detail);
  write(error, advice_for(result));
  return error_code_of(result);
}

const char* error_name_of(const DriverTable& driver, CUresult result) { return text_of(driver.error_name, result); }

const char* error_text_of(const DriverTable& driver, CUresult result) { return text_of(driver.error_string, result); }

int error_code_of(CUresult result) {
  switch (result) {
    case CUDA_SUCCESS:
      return KMUX_OK;
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return KMUX_INVALID_ARGUMENT;
    case CUDA_ERROR_NOT_SUPPORTED:
      return KMUX_UNSUPPORTED;
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return KMUX_UNAVAILABLE;
    default:
      return KMUX_LAUNCH_FAILED;
  }
}

bool says_capturing(CUresult result) {
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

}  // namespace kmux::nvidia
