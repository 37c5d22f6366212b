#pragma once

#include <memory>
#include <mutex>

#include "kmux/error.h"

#include "nvidia/launch/context.h"

namespace kmux::nvidia {

/// A device that memory, streams and events are made on: its primary context, retained, and its memory pool, which keeps
/// what is freed.
///
/// Threads: any, but `close` comes last and alone.
class OpenedDevice {
 public:
  /// Retains the context and raises the release threshold of the default pool, so that memory freed in stream order is
  /// not given back to the system at the next synchronisation.
  ///
  /// Errors: invalid_argument if there is no such device; unsupported without memory pools; what the driver said.
  static Result<std::unique_ptr<OpenedDevice>> open(const DriverTable& driver, int ordinal);
  ~OpenedDevice() = default;
  OpenedDevice(const OpenedDevice&) = delete;
  OpenedDevice& operator=(const OpenedDevice&) = delete;

  const DriverTable& driver() const { return driver_; }
  const DeviceContext& context() const { return context_; }
  CUmemoryPool pool() const { return pool_; }

  /// Writes twice the L2 cache in `stream`, so that nothing from before is in it. The context is current. The memory for
  /// it is made once.
  ///
  /// Errors: 0 or an ErrorCode after writing to `error`.
  int flush_l2(CUstream stream, kmux_sink error);

  /// Frees that memory. The context is current.
  int free_flush_memory(kmux_sink error);
  /// Gives the context back.
  int close(kmux_sink error);

 private:
  OpenedDevice(const DriverTable& driver, const DeviceContext& context) : driver_(driver), context_(context) {}
  Status take_pool();
  int make_flush_memory(CUstream stream, kmux_sink error);

  const DriverTable& driver_;
  DeviceContext context_;
  CUmemoryPool pool_ = nullptr;
  std::mutex flushing_;
  CUdeviceptr flush_memory_ = 0;
  std::size_t flush_bytes_ = 0;
};

/// 0 if `result` is success; else `fail_call` with the device as detail.
int check_call(const OpenedDevice& device, const char* call, CUresult result, kmux_sink error);

}  // namespace kmux::nvidia
