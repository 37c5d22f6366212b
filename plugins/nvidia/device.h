#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/stream_ordered_devices.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/driver_table.h"
#include "nvidia/target.h"

namespace kmux::nvidia {

/// The number of devices.
///
/// Errors: those of `open_driver`; the driver's error.
Result<int> device_count();

/// What code for device `ordinal` is compiled for. Makes no context.
///
/// Errors: as `device_count`; invalid_argument if there is no such device.
Result<Arch> device_arch(int ordinal);

/// The object of `DeviceApi::properties`: name, arch, memory_bytes, multiprocessors, l2_bytes,
/// shared_memory_bytes_per_block, compute_capability and driver_version ("13.0"). Makes no context.
///
/// Errors: as `device_arch`.
Result<Json> device_properties(int ordinal);

/// One attribute of a device.
///
/// Errors: the driver's error.
Result<int> device_attribute(const DriverTable& driver, CUdevice device, CUdevice_attribute attribute);

/// A device that memory, streams and events are made on: its primary context, retained, and its memory pool, which keeps
/// what is freed. See StreamOrderedDevices.
///
/// Threads: any, but `close` comes last and alone.
class OpenedDevice {
 public:
  static constexpr int kNeverRecorded = CUDA_ERROR_INVALID_HANDLE;

  static Result<int> count(Host host);
  static Result<Json> properties(Host host, int device);

  /// Retains the context and raises the release threshold of the default pool, so that memory freed in stream order is
  /// not given back to the system at the next synchronisation.
  ///
  /// Errors: invalid_argument if there is no such device; unsupported without memory pools; the driver's error.
  static Result<std::unique_ptr<OpenedDevice>> open(Host host, int ordinal);
  ~OpenedDevice() = default;
  OpenedDevice(const OpenedDevice&) = delete;
  OpenedDevice& operator=(const OpenedDevice&) = delete;
  /// Gives the context back.
  Status close();

  int ordinal() const { return context_.ordinal; }

  /// Does `action()` in the context of the device, or in another one of it that is current. Captures of other
  /// streams are left alone.
  template <class Action>
  int use(kmux_sink error, Action action) {
    ContextScope scope(driver_, context_);
    if (const int code = scope.enter(error)) return code;
    const int code = RelaxedCapture::during(driver_, error, [&] { return action(), KMUX_OK; });
    return scope.leave(code, error);
  }
  Status check(DriverCall call, const std::string& detail) const;

  DriverCall allocate(void* stream, std::size_t bytes, void** address) const;
  DriverCall free(void* stream, void* address) const;
  DriverCall copy(void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) const;
  DriverCall copy_peer(void* stream, void* to, const OpenedDevice& source, const void* from, std::size_t bytes) const;
  DriverCall host_allocate(std::size_t bytes, void** address) const;
  DriverCall host_free(void* address) const;
  DriverCall memset(void* stream, void* address, std::uint8_t value, std::size_t bytes) const;
  DriverCall memory_info(std::size_t* free_bytes, std::size_t* total_bytes) const;
  DriverCall l2_bytes(int* bytes) const;
  DriverCall stream_create(void** stream, int priority) const;
  DriverCall stream_destroy(void* stream) const;
  DriverCall stream_synchronize(void* stream) const;
  DriverCall stream_wait(void* stream, void* event) const;
  DriverCall stream_capture(void* stream, std::uint64_t* capture) const;
  DriverCall event_create(void** event) const;
  DriverCall event_create_untimed(void** event) const;
  DriverCall event_destroy(void* event) const;
  DriverCall event_record(void* event, void* stream) const;
  DriverCall event_synchronize(void* event) const;
  DriverCall event_elapsed(void* begin, void* end, float* milliseconds) const;

 private:
  OpenedDevice(const DriverTable& driver, const DeviceContext& context) : driver_(driver), context_(context) {}
  Status take_pool();

  const DriverTable& driver_;
  DeviceContext context_;
  CUmemoryPool pool_ = nullptr;
};

/// Whether a device can be used here: "no_driver" with the loader's or the driver's own text, "no_device" if the driver
/// lists none. Creates no context.
///
/// Threads: any.
Availability probe_driver();

/// Why nothing can be built: "no_toolchain" with the text of `error`.
Availability no_toolchain(const Error& error);

/// The log of `host` for the launch layer.
///
/// Lifetime: borrows `host`.
Log log_to(const Host& host);

/// Are calls and launches shown to profilers (host option "nvidia.nvtx")?
bool shows_ranges(const Host& host);

/// Is each launch waited for (host option "nvidia.launch_blocking")?
bool blocks_launches(const Host& host);

/// The devices that the CUDA driver lists (kDLCUDA). Memory comes from the default pool of the device.
using Devices = StreamOrderedDevices<OpenedDevice>;

}  // namespace kmux::nvidia

extern template class kmux::StreamOrderedDevices<kmux::nvidia::OpenedDevice>;
