#pragma once

#include "kmux/plugin/backend.h"

namespace kmux {

/// This machine as device 0 of a backend. All operations complete at once: a stream is only an identity, an event a
/// timestamp.
///
/// Threads: any.
class HostDevices : public DeviceApi {
 public:
  /// `backend` is the name of the backend; must be a literal.
  explicit HostDevices(const char* backend) : backend_(backend) {}
  Result<int> count() override;
  /// Allocates memory with an alignment of at least 64 bytes (a cache line, a vector register).
  Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) override;
  void free(int device, void* stream, void* address) noexcept override;
  Status copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) override;
  Status memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) override;
  Result<MemoryInfo> memory_info(int device) override;
  Result<void*> stream_create(int device) override;
  void stream_destroy(int device, void* stream) noexcept override;
  Status stream_synchronize(int device, void* stream) override;
  Result<void*> event_create(int device) override;
  void event_destroy(int device, void* event) noexcept override;
  Status event_record(int device, void* event, void* stream) override;
  Result<double> event_elapsed(int device, void* begin, void* end) override;
  Status stream_wait_event(int device, void* stream, void* event) override;
  /// Like `allocate`: all memory is host memory.
  Result<void*> host_allocate(int device, std::size_t bytes, std::size_t alignment) override;
  void host_free(int device, void* address) noexcept override;
  /// Like `stream_create`: priorities have no effect on operations that complete at once.
  Result<void*> stream_create_with_priority(int device, int priority) override;

 protected:
  /// Same as `check_host_device`.
  Status check(int device) const;

 private:
  const char* backend_;
};

/// Returns ok for device 0, the only one of `backend`; else invalid_argument.
Status check_host_device(const char* backend, int device);

}  // namespace kmux
