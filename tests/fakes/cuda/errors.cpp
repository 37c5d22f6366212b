#include "call.h"

namespace kmux::fake_cuda {
namespace {

struct Entry {
  CUresult code;
  const char* name;
  const char* meaning;
};

#define KMUX_ERROR(code, meaning) \
  Entry { code, #code, meaning }
constexpr Entry kErrors[] = {
    KMUX_ERROR(CUDA_SUCCESS, "no error"),
    KMUX_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    KMUX_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    KMUX_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    KMUX_ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    KMUX_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    KMUX_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    KMUX_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    KMUX_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    KMUX_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    KMUX_ERROR(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
    KMUX_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    KMUX_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    KMUX_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
    KMUX_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    KMUX_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    KMUX_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    KMUX_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    KMUX_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    KMUX_ERROR(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    KMUX_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    KMUX_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    KMUX_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "operation would make the legacy stream depend on a capturing one"),
    KMUX_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size"),
    KMUX_ERROR(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
    KMUX_ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, "device is busy or unavailable"),
    KMUX_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    KMUX_ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX is of an unsupported version"),
    KMUX_ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    KMUX_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    KMUX_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    KMUX_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    KMUX_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE, "operation not supported on this address space"),
    KMUX_ERROR(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    KMUX_ERROR(CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized"),
    KMUX_ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "system has an unsupported display driver"),
    KMUX_ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "attempt to end a capture of another thread"),
    KMUX_ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef KMUX_ERROR

const Entry* find(CUresult code) {
  for (const Entry& entry : kErrors) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

}  // namespace

const char* name_of(CUresult code) { return find(code) == nullptr ? nullptr : find(code)->name; }
const char* meaning_of(CUresult code) { return find(code) == nullptr ? nullptr : find(code)->meaning; }

}  // namespace kmux::fake_cuda

// NVRTC queries an open libcuda.so.1 for private tables, and works without them.
extern "C" __attribute__((visibility("default"))) kmux::nvidia::CUresult cuGetExportTable(const void** table,
                                                                                          const void*) {
  *table = nullptr;
  return kmux::nvidia::CUDA_ERROR_NOT_FOUND;
}
