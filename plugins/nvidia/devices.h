#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "kmux/backend.h"
#include "kmux/plugin.hpp"

#include "nvidia/opened_device.h"

namespace kmux::nvidia {

/// The devices that the CUDA driver lists (kDLCUDA). Each call makes the context of its device current and restores the
/// one before. Memory comes in stream order from the default pool of the device.
///
/// Errors:  what the driver said, as "CALL failed with NUMBER NAME (text; detail)". Those of calls that return nothing
///          are logged.
/// Threads: any.   Lifetime: comes after everything that was made with it.
class Devices final : public DeviceApi {
 public:
  explicit Devices(Host host) : host_(host) {}
  ~Devices() override;
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  Result<int> count() override;
  Result<Json> properties(int device) override;
  /// Errors: invalid_argument for an alignment above 256 or none of the powers of two.
  Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) override;
  void free(int device, void* stream, void* address) noexcept override;
  Status copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) override;
  Status memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) override;
  Result<MemoryInfo> memory_info(int device) override;
  /// A stream that does not wait for the null stream.
  Result<void*> stream_create(int device) override;
  void stream_destroy(int device, void* stream) noexcept override;
  Status stream_synchronize(int device, void* stream) override;
  Result<void*> event_create(int device) override;
  void event_destroy(int device, void* event) noexcept override;
  Status event_record(int device, void* event, void* stream) override;
  Result<double> event_elapsed(int device, void* begin, void* end) override;
  Status l2_flush(int device, void* stream) override;

 private:
  static constexpr std::size_t kMaxDevices = 64;

  /// The device, opened by the first call that succeeds.
  Result<OpenedDevice*> opened(int ordinal);
  /// `action(device, sink) -> int` with the context current.
  template <class Action>
  Status in_context(int ordinal, Action action);
  /// As `in_context` for what is leaked if it is not done: tried again if the context could not be entered.
  template <class Action>
  void release(int ordinal, Action action) noexcept;
  void log_failure(const Status& status) const noexcept;

  Host host_;
  std::mutex opening_;
  std::array<std::atomic<OpenedDevice*>, kMaxDevices> devices_{};
};

}  // namespace kmux::nvidia
