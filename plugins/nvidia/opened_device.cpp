#include "nvidia/opened_device.h"

#include <limits>

#include "kmux/failure_text.h"

#include "nvidia/device_facts.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/relaxed_capture.h"

namespace kmux::nvidia {

int check_call(const OpenedDevice& device, const char* call, CUresult result, kmux_sink error) {
  if (result == CUDA_SUCCESS) return KMUX_OK;
  return fail_call(device.driver(), error, call, result, "device %d", device.context().ordinal);
}

Result<std::unique_ptr<OpenedDevice>> OpenedDevice::open(const DriverTable& driver, int ordinal) {
  FailureText failure;
  DeviceContext context{};
  KMUX_TRY(failure.status(retain_context(driver, ordinal, &context, failure.sink())));
  std::unique_ptr<OpenedDevice> device(new OpenedDevice(driver, context));
  if (Status pool = device->take_pool(); !pool.ok()) {
    static_cast<void>(device->close(failure.sink()));  // the first failure is what is told
    return std::move(pool).error();
  }
  return device;
}

Status OpenedDevice::take_pool() {
  KMUX_ASSIGN(const int pools, device_attribute(driver_, context_.device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED));
  if (pools == 0) {
    return make_error(ErrorCode::kUnsupported, "device " + std::to_string(context_.ordinal) +
                                                   " has no memory pools (its driver or its virtual machine turns "
                                                   "them off). Use another device or driver.");
  }
  FailureText failure;
  CUresult result = driver_.device_pool(&pool_, context_.device);
  KMUX_TRY(failure.status(check_call(*this, "cuDeviceGetDefaultMemPool", result, failure.sink())));
  std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
  return failure.status(RelaxedCapture::during(driver_, failure.sink(), [&] {
    result = driver_.pool_attribute_set(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_all);
    return check_call(*this, "cuMemPoolSetAttribute", result, failure.sink());
  }));
}

int OpenedDevice::flush_l2(CUstream stream, kmux_sink error) {
  const std::lock_guard lock(flushing_);
  if (flush_memory_ == 0) {
    if (const int code = make_flush_memory(stream, error)) return code;
  }
  if (flush_bytes_ == 0) return KMUX_OK;
  return check_call(*this, "cuMemsetD8Async", driver_.memset8(flush_memory_, 0, flush_bytes_, stream), error);
}

int OpenedDevice::free_flush_memory(kmux_sink error) {
  if (flush_memory_ == 0) return KMUX_OK;
  const CUresult result = driver_.free(flush_memory_, nullptr);
  flush_memory_ = 0;
  return check_call(*this, "cuMemFreeAsync", result, error);
}

int OpenedDevice::close(kmux_sink error) {
  return check_call(*this, "cuDevicePrimaryCtxRelease", release_context(driver_, context_), error);
}

// The memory is there in the order of `stream` alone, but later flushes may be in another one: hence the wait.
int OpenedDevice::make_flush_memory(CUstream stream, kmux_sink error) {
  int l2_bytes = 0;
  const CUresult read = driver_.device_attribute(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, context_.device);
  if (const int code = check_call(*this, "cuDeviceGetAttribute", read, error)) return code;
  if (l2_bytes <= 0) return KMUX_OK;
  const std::size_t bytes = 2 * static_cast<std::size_t>(l2_bytes);
  CUdeviceptr memory = 0;
  const CUresult made = driver_.allocate(&memory, bytes, pool_, stream);
  if (const int code = check_call(*this, "cuMemAllocFromPoolAsync", made, error)) return code;
  flush_memory_ = memory;
  flush_bytes_ = bytes;
  return RelaxedCapture::during(driver_, error, [&] {
    return check_call(*this, "cuStreamSynchronize", driver_.stream_synchronize(stream), error);
  });
}

}  // namespace kmux::nvidia
