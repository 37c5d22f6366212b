#pragma once

#include <functional>
#include <memory>

#include "kmux/plugin/backend.h"

#include "gpu.h"

namespace kmux::metal {

/// Returns the device, opened on first use.
using OpenGpu = std::function<Result<std::shared_ptr<Gpu>>()>;

/// The system's default device. Host and device share its memory: copies to and from the host synchronize the stream,
/// then copy.
///
/// Threads: thread-safe.
class MetalDevices final : public DeviceApi {
 public:
  explicit MetalDevices(OpenGpu open) : open_(std::move(open)) {}
  Result<int> count() override;
  Result<Json> properties(int device) override;
  Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) override;
  void free(int device, void* stream, void* address) noexcept override;
  Status copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) override;
  Status memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) override;
  Result<MemoryInfo> memory_info(int device) override;
  Result<void*> stream_create(int device) override;
  void stream_destroy(int device, void* stream) noexcept override;
  Status stream_synchronize(int device, void* stream) override;
  Result<void*> event_create(int device) override;
  Result<void*> event_create_untimed(int device) override;
  void event_destroy(int device, void* event) noexcept override;
  Status event_record(int device, void* event, void* stream) override;
  /// Makes later work on `stream` wait, on the device, for the work before the last record of `event`. Returns at once
  /// if `event` was never recorded. A later record does not affect this wait.
  Status stream_wait_event(int device, void* stream, void* event) override;
  /// Returns the milliseconds from the start of the first work after `begin` to the end of the last work before `end`.
  /// Both events must be of one stream. Returns 0 if no work is between them.
  Result<double> event_elapsed(int device, void* begin, void* end) override;
  Status l2_flush(int device, void* stream) override;

 private:
  Result<std::shared_ptr<Gpu>> gpu(int device);
  OpenGpu open_;
};

}  // namespace kmux::metal
