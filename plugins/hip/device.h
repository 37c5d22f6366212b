#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "kmux/backend.h"
#include "kmux/plugin.hpp"

#include "launch/hip_table.h"

namespace kmux::hip {

/// The devices that HIP lists (kDLROCM). Each call makes its device current and restores the one before. Memory comes in
/// stream order from the device's pool where it has one, else from hipMalloc.
///
/// Errors:  what HIP said, as "CALL failed with NUMBER NAME (text; detail)". Those of calls that return nothing are logged.
/// Threads: any.   Lifetime: comes after everything that was made with it.
class HipDevices final : public DeviceApi {
 public:
  explicit HipDevices(Host host) : host_(host) {}
  ~HipDevices() override;
  HipDevices(const HipDevices&) = delete;
  HipDevices& operator=(const HipDevices&) = delete;

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
  struct Opened {
    bool has_pool = false;
    std::mutex flushing;
    void* flush_memory = nullptr;
    std::size_t flush_bytes = 0;
  };

  Result<const HipTable*> table();
  Result<Opened*> opened(const HipTable& hip, int device);
  static Status open_pool(const HipTable& hip, int device, Opened& opened);
  static Status make_flush_memory(const HipTable& hip, int device, Opened& on);
  /// `action(hip) -> Status` with the device current.
  template <class Action>
  Status on_device(int device, Action action);
  void log_failure(const Status& status) const noexcept;

  Host host_;
  std::atomic<const HipTable*> hip_{nullptr};
  std::mutex opening_;
  std::array<std::atomic<Opened*>, kMaxDevices> devices_{};
};

}  // namespace kmux::hip
