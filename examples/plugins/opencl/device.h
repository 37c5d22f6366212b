#pragma once

#include "machine.h"

namespace kmux::opencl {

/// The devices of every driver. A stream is a command queue; copies to and from the host wait until they are done.
///
/// Threads: any.
class OpenClDevices final : public DeviceApi {
 public:
  explicit OpenClDevices(OpenMachine open) : open_(std::move(open)) {}
  Result<int> count() override;
  Result<Json> properties(int device) override;
  Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) override;
  void free(int device, void* stream, void* address) noexcept override;
  Status copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) override;
  Status memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) override;
  Result<MemoryInfo> memory_info(int device) override;
  Result<void*> stream_create(int device) override;
  Result<void*> stream_create_with_priority(int device, int priority) override;
  /// Waits for what is in the stream.
  void stream_destroy(int device, void* stream) noexcept override;
  Status stream_synchronize(int device, void* stream) override;
  Result<void*> event_create(int device) override;
  void event_destroy(int device, void* event) noexcept override;
  Status event_record(int device, void* event, void* stream) override;
  /// An event of another device is waited for on the host.
  Status stream_wait_event(int device, void* stream, void* event) override;
  Result<double> event_elapsed(int device, void* begin, void* end) override;
  Status l2_flush(int device, void* stream) override;
  /// By way of the host.
  Status copy_peer(int device, void* stream, void* to, int from_device, const void* from, std::size_t bytes) override;

 private:
  Result<OpenDevice*> device(int device);
  Status check_ours(OpenDevice& device, const void* address, std::size_t bytes, const char* what);
  OpenMachine open_;
};

}  // namespace kmux::opencl
