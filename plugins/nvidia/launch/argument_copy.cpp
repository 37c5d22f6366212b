#include "nvidia/launch/argument_copy.h"

#include <stdlib.h>
#include <string.h>

namespace kmux::nvidia {

namespace {

constexpr size_t kArgumentAlignment = 64;  // of a tensor map, the most that a parameter asks for

size_t aligned_argument_bytes(size_t bytes) {
  return (bytes + kArgumentAlignment - 1) / kArgumentAlignment * kArgumentAlignment;
}

// Nearly all arguments are pointers, for which comparing and copying are one instruction each.
bool take_argument(void* kept, const void* given, size_t size) {
  if (size == sizeof(void*)) {
    if (memcmp(kept, given, sizeof(void*)) == 0) return false;
    memcpy(kept, given, sizeof(void*));
    return true;
  }
  if (memcmp(kept, given, size) == 0) return false;
  memcpy(kept, given, size);
  return true;
}

}  // namespace

ArgumentCopy::~ArgumentCopy() { free(block_); }

ReplayFailure ArgumentCopy::shape(const DriverTable& driver, CUkernel kernel) {
  if (block_ != nullptr) return {};
  unsigned count = 0;
  size_t bytes = 0;
  ReplayFailure failure = measure(driver, kernel, &count, &bytes);
  if (failure.call == nullptr) failure = allocate(count, bytes);
  if (failure.call == nullptr) failure = place(driver, kernel);
  return failure;
}

// The driver has no call for the number of parameters: it refuses the first index past the last.
ReplayFailure ArgumentCopy::measure(const DriverTable& driver, CUkernel kernel, unsigned* count, size_t* bytes) {
  for (;; ++*count) {
    size_t offset = 0;
    size_t size = 0;
    const CUresult result = driver.kernel_parameter(kernel, *count, &offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) return {};
    if (result != CUDA_SUCCESS) return {"cuKernelGetParamInfo", result};
    if (offset + size > *bytes) *bytes = offset + size;
  }
}

ReplayFailure ArgumentCopy::allocate(unsigned count, size_t bytes) {
  const size_t arrays = aligned_argument_bytes(bytes);
  const size_t block = arrays + aligned_argument_bytes(count * (sizeof(void*) + sizeof(size_t)));
  block_ = static_cast<char*>(aligned_alloc(kArgumentAlignment, block > 0 ? block : kArgumentAlignment));
  if (block_ == nullptr) return {"aligned_alloc", CUDA_ERROR_OUT_OF_MEMORY};
  memset(block_, 0, block);
  args_ = reinterpret_cast<void**>(block_ + arrays);
  sizes_ = reinterpret_cast<size_t*>(args_ + count);
  count_ = count;
  return {};
}

// The bytes lie as the device has them, so what is aligned there is aligned here.
ReplayFailure ArgumentCopy::place(const DriverTable& driver, CUkernel kernel) {
  for (unsigned i = 0; i < count_; ++i) {
    size_t offset = 0;
    const CUresult result = driver.kernel_parameter(kernel, i, &offset, &sizes_[i]);
    if (result != CUDA_SUCCESS) {
      free(block_);
      block_ = nullptr;
      return {"cuKernelGetParamInfo", result};
    }
    args_[i] = block_ + offset;
  }
  return {};
}

bool ArgumentCopy::update(void* const* args) {
  bool changed = false;
  for (unsigned i = 0; i < count_; ++i) changed |= take_argument(args_[i], args[i], sizes_[i]);
  return changed;
}

}  // namespace kmux::nvidia
