#include "nvidia/launch/device_state.h"

#include <new>

namespace kmux::nvidia {
namespace {

// The static and dynamic shared memory of a block that requires no opt-in. Source: CUDA C++ Programming Guide, Compute
// Capabilities.
constexpr unsigned kFreeSmemBytes = 48 * 1024;

unsigned long long smaller(unsigned long long a, unsigned long long b) { return a < b ? a : b; }

// Returns true if the driver only cannot set lines aside: under MPS, where the administrator sets the limit, or on a
// device or a driver without the limit. Source: CUDA C++ Programming Guide, "L2 Set-Aside Cache for Persisting
// Accesses".
bool lacks_persisting_lines(CUresult result) {
  return result == CUDA_ERROR_UNSUPPORTED_LIMIT || result == CUDA_ERROR_NOT_SUPPORTED ||
         result == CUDA_ERROR_NOT_PERMITTED || result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_OUT_OF_MEMORY;
}

}  // namespace

int DeviceState::prepare(const LoadedCode& code, kmux_sink error) {
  if (const int failure = read_limits(error)) return failure;
  kernels_ = new (std::nothrow) KernelState[facts_.kernel_count];
  if (kernels_ == nullptr) {
    return fail(error, KMUX_UNAVAILABLE, "out of memory for the state of %u kernels. Free some.", facts_.kernel_count);
  }
  for (unsigned i = 0; i < facts_.kernel_count; ++i) {
    if (const int failure = prepare_kernel(i, code.kernel(i), error)) return failure;
  }
  return facts_.window_bytes == 0 ? KMUX_OK : raise_persisting_limit(error);
}

int DeviceState::find_functions(kmux_sink error) {
  for (unsigned i = 0; i < facts_.kernel_count; ++i) {
    const CUresult result = driver_.kernel_function(&kernels_[i].function, kernels_[i].kernel);
    if (result == CUDA_SUCCESS) continue;
    return fail_call(driver_, error, "cuKernelGetFunction", result, "kernel \"%s\" on device %d",
                     facts_.kernels[i].name, context_.ordinal);
  }
  return KMUX_OK;
}

int DeviceState::read_limits(kmux_sink error) {
  int code = read_limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &largest_smem_bytes_, error);
  if (code != KMUX_OK || facts_.window_bytes == 0) return code;
  code = read_limit(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, &largest_window_bytes_, error);
  if (code != KMUX_OK) return code;
  return read_limit(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, &largest_persisting_bytes_, error);
}

int DeviceState::read_limit(CUdevice_attribute attribute, unsigned long long* limit, kmux_sink error) {
  int value = 0;
  const CUresult result = driver_.device_attribute(&value, attribute, context_.device);
  if (result != CUDA_SUCCESS) {
    return fail_call(driver_, error, "cuDeviceGetAttribute", result, "attribute %d of device %d",
                     static_cast<int>(attribute), context_.ordinal);
  }
  *limit = value < 0 ? 0 : static_cast<unsigned long long>(value);
  return KMUX_OK;
}

int DeviceState::prepare_kernel(unsigned index, CUkernel kernel, kmux_sink error) {
  KernelState& state = kernels_[index];
  state.kernel = kernel;
  unsigned current = 0;
  if (const int code = read_kernel(index, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &state.static_smem_bytes, error))
    return code;
  if (const int code = read_kernel(index, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &state.max_threads, error))
    return code;
  if (const int code = read_kernel(index, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &current, error))
    return code;
  const unsigned free = state.static_smem_bytes < kFreeSmemBytes ? kFreeSmemBytes - state.static_smem_bytes : 0;
  state.dynamic_smem_limit.store(smaller(current, free), std::memory_order_relaxed);
  const KernelFacts& facts = facts_.kernels[index];
  if (const int code = allow_dynamic_smem(index, facts.dynamic_smem_bytes, error)) return code;
  if (facts_.shared_carveout >= 0) {
    constexpr CUfunction_attribute kCarveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    if (const int code = set_attribute(index, kCarveout, facts_.shared_carveout, error)) return code;
  }
  return facts.large_cluster ? set_attribute(index, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, error)
                             : KMUX_OK;
}

int DeviceState::read_kernel(unsigned index, CUfunction_attribute attribute, unsigned* value, kmux_sink error) {
  int read = 0;
  const CUresult result = driver_.kernel_attribute_get(&read, attribute, kernels_[index].kernel, context_.device);
  if (result != CUDA_SUCCESS) {
    return fail_call(driver_, error, "cuKernelGetAttribute", result, "attribute %d of kernel \"%s\" on device %d",
                     static_cast<int>(attribute), facts_.kernels[index].name, context_.ordinal);
  }
  *value = read < 0 ? 0 : static_cast<unsigned>(read);
  return KMUX_OK;
}

int DeviceState::set_attribute(unsigned index, CUfunction_attribute attribute, int value, kmux_sink error) {
  const CUresult result = driver_.kernel_attribute_set(attribute, value, kernels_[index].kernel, context_.device);
  if (result == CUDA_SUCCESS) return KMUX_OK;
  return fail_call(driver_, error, "cuKernelSetAttribute", result, "attribute %d = %d of kernel \"%s\" on device %d",
                   static_cast<int>(attribute), value, facts_.kernels[index].name, context_.ordinal);
}

int DeviceState::refuse_block(const kmux_driver_launch& launch, kmux_sink error) const {
  const KernelState& kernel = kernels_[launch.kernel];
  return fail(
      error, KMUX_INVALID_ARGUMENT,
      "kernel \"%s\" is launched with blocks of %u x %u x %u threads (on device %d its code is for at most %u a "
      "block, by its registers and __launch_bounds__). Use smaller blocks, or raise __launch_bounds__.",
      facts_.kernels[launch.kernel].name, launch.block[0], launch.block[1], launch.block[2], context_.ordinal,
      kernel.max_threads);
}

int DeviceState::raise_dynamic_smem(unsigned index, unsigned long long bytes, kmux_sink error) {
  KernelState& state = kernels_[index];
  const unsigned long long most = largest_smem_bytes_ - smaller(largest_smem_bytes_, state.static_smem_bytes);
  if (bytes > most) return refuse_dynamic_smem(index, bytes, most, error);
  const Locked locked(lock_);
  if (bytes <= state.dynamic_smem_limit.load(std::memory_order_relaxed)) return KMUX_OK;  // another thread raised it
  const int code =
      set_attribute(index, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes), error);
  if (code == KMUX_OK) state.dynamic_smem_limit.store(bytes, std::memory_order_relaxed);
  return code;
}

int DeviceState::refuse_dynamic_smem(unsigned index, unsigned long long bytes, unsigned long long most,
                                     kmux_sink error) {
  return fail(
      error, KMUX_INVALID_ARGUMENT,
      "kernel \"%s\" requests %llu bytes of dynamic shared memory (device %d has %llu for it: %llu a block, less "
      "%u static ones). Use smaller tiles or another device.",
      facts_.kernels[index].name, bytes, context_.ordinal, most, largest_smem_bytes_,
      kernels_[index].static_smem_bytes);
}

int DeviceState::raise_persisting_limit(kmux_sink error) {
  const bool is_known = facts_.window_bytes > 1;
  const size_t wanted = is_known ? smaller(facts_.window_bytes, largest_persisting_bytes_) : largest_persisting_bytes_;
  if (wanted == 0) return KMUX_OK;
  const PersistingLines::Failure failure = lines_.raise(driver_, context_, wanted, &uses_lines_);
  if (failure.call == nullptr) return KMUX_OK;
  if (!lacks_persisting_lines(failure.result)) {
    return fail_call(driver_, error, failure.call, failure.result, "%zu bytes of persisting L2 cache of device %d",
                     wanted, context_.ordinal);
  }
  largest_persisting_bytes_ = 0;
  cut_reported_.store(true, std::memory_order_relaxed);  // by the report below
  report(
      log_, kLogWarning,
      "\"%s\" is launched without its L2 windows on device %d (%s failed with %d %s: no lines of the L2 cache are set "
      "aside).",
      facts_.name, context_.ordinal, failure.call, static_cast<int>(failure.result),
      error_name_of(driver_, failure.result));
  return KMUX_OK;
}

// More lines than may persist would only evict each other. Source: CUDA C++ Programming Guide, "L2 Persistence".
unsigned long long DeviceState::largest_window_bytes() const {
  return smaller(largest_window_bytes_, largest_persisting_bytes_);
}

void DeviceState::report_cut_window(unsigned long long bytes) {
  if (cut_reported_.exchange(true, std::memory_order_relaxed)) return;
  report(log_, kLogWarning,
         "\"%s\": an L2 window of %llu bytes is cut to %llu (the most that may persist on device %d).", facts_.name,
         bytes, largest_window_bytes(), context_.ordinal);
}

void DeviceState::report_dropped_windows(unsigned count, unsigned long long bytes) {
  if (dropped_reported_.exchange(true, std::memory_order_relaxed)) return;
  report(log_, kLogWarning,
         "\"%s\": %u L2 windows of %llu bytes have no effect (a launch has one window, and takes its largest).",
         facts_.name, count, bytes);
}

void DeviceState::report_plain(const char* why) {
  if (plain_reported_.load(std::memory_order_relaxed) || plain_reported_.exchange(true)) return;
  report(log_, kLogInfo, "\"%s\" is launched kernel by kernel on device %d (%s).", facts_.name, context_.ordinal, why);
}

}  // namespace kmux::nvidia
