#include "device.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

namespace kmux::metal {
namespace {

constexpr std::size_t kFlushBytes = 96 << 20;  // more than Apple's largest system-level cache

constexpr unsigned long long kSignalled = 1;

// An event: the command buffer of its last record, and the MTLEvent that the buffer signals. Each record has a separate
// MTLEvent: if two queues signalled one, its waits would be released in any order.
struct Event {
  bool is_timed = true;
  std::mutex mutex;
  std::shared_ptr<Gpu> gpu;  // owns the work log of the mark
  std::shared_ptr<const WorkLog::Mark> mark;
  Owned command_buffer;
  Owned signal;
};

Error not_ours(const char* what) {
  return make_error(ErrorCode::kInvalidArgument,
                    std::string(what) +
                        " is not memory of the device (backend metal did not allocate it). Pass a tensor "
                        "of \"metal:0\".");
}

// Returns true if these offsets and sizes are valid for a blit on a Mac. Source: Apple, MTLBlitCommandEncoder,
// fillBuffer:range:value: and copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:, which require multiples of
// 4 bytes in macOS (Apple's own GPUs accept others).
template <class... Numbers>
bool is_blit(Numbers... numbers) {
  return ((numbers % kFillStep == 0) && ...);
}

// Encodes one blit command and commits it.
template <class Write>
Status blit(Gpu& gpu, void* stream, Write write) {
  const ObjectiveC& objc = gpu.objc();
  const AutoreleasePool pool(objc);
  const Id command_buffer = objc.command_buffer(gpu.queue_of(stream));
  const Id encoder = objc.blit_encoder(command_buffer);
  write(objc, encoder);
  objc.end_encoding(encoder);
  gpu.work_log().note(gpu.queue_of(stream), command_buffer);
  gpu.completion().commit(command_buffer);
  return Ok{};
}

}  // namespace

Result<std::shared_ptr<Gpu>> MetalDevices::gpu(int device) {
  KMUX_TRY(check_device(device));
  return open_();
}

Result<int> MetalDevices::count() {
  const auto opened = open_();
  if (opened) return 1;
  if (opened.error().code == ErrorCode::kUnavailable) return 0;
  return opened.error();
}

Result<Json> MetalDevices::properties(int device) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  const ObjectiveC& objc = opened->objc();
  const AutoreleasePool pool(objc);
  return Json(
      Json::Object{{"name", objc.text(objc.device_name(opened->device()))},
                   {"arch", "metal"},
                   {"memory_bytes", static_cast<std::int64_t>(objc.working_set_bytes(opened->device()))},
                   {"max_threadgroup_memory_bytes", static_cast<std::int64_t>(opened->max_threadgroup_memory())}});
}

Result<void*> MetalDevices::allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  if (alignment > Arena::kPage || (alignment != 0 && !std::has_single_bit(alignment))) {
    return make_error(ErrorCode::kInvalidArgument,
                      "alignment " + std::to_string(alignment) +
                          " is not supported (backend metal aligns to powers of two up to " +
                          std::to_string(Arena::kPage) + "). Use one of these.");
  }
  return opened->arena().allocate(opened->queue_of(stream), bytes);
}

void MetalDevices::free(int, void* stream, void* address) noexcept {
  const auto opened = open_();
  if (opened) (*opened)->arena().free((*opened)->queue_of(stream), address);
}

Status MetalDevices::copy(int device, void* stream, void* to, const void* from, std::size_t bytes,
                          kmux_copy_kind kind) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  if (bytes == 0) return Ok{};
  const Place target = opened->arena().find(to);
  const Place source = opened->arena().find(from);
  if (kind != KMUX_COPY_DEVICE_TO_HOST && target.buffer == nullptr) return not_ours("the target of a copy");
  if (kind != KMUX_COPY_HOST_TO_DEVICE && source.buffer == nullptr) return not_ours("the source of a copy");
  if (kind == KMUX_COPY_DEVICE_TO_DEVICE && is_blit(source.offset, target.offset, bytes)) {
    return blit(*opened, stream, [&](const ObjectiveC& objc, Id encoder) {
      objc.copy_buffer(encoder, source.buffer, source.offset, target.buffer, target.offset, bytes);
    });
  }
  KMUX_TRY(opened->wait(opened->queue_of(stream)));
  std::memmove(to, from, bytes);
  return Ok{};
}

Status MetalDevices::memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  if (bytes == 0) return Ok{};
  const Place place = opened->arena().find(address);
  if (place.buffer == nullptr) return not_ours("memory to set");
  if (is_blit(place.offset, bytes)) {
    return blit(*opened, stream, [&](const ObjectiveC& objc, Id encoder) {
      objc.fill_buffer(encoder, place.buffer, {place.offset, bytes}, value);
    });
  }
  KMUX_TRY(opened->wait(opened->queue_of(stream)));
  std::memset(address, value, bytes);
  return Ok{};
}

Result<DeviceApi::MemoryInfo> MetalDevices::memory_info(int device) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  const ObjectiveC& objc = opened->objc();
  const std::uint64_t total = objc.working_set_bytes(opened->device());
  const std::uint64_t used = objc.allocated_bytes(opened->device());
  return MemoryInfo{used < total ? total - used : 0, total};
}

Result<void*> MetalDevices::stream_create(int device) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  const Id queue = opened->objc().new_queue(opened->device());
  if (queue != nullptr) return queue;
  return make_error(ErrorCode::kUnavailable,
                    "the device gives no more command queues (backend metal). Destroy streams that are done.");
}

void MetalDevices::stream_destroy(int, void* stream) noexcept {
  const auto opened = open_();
  if (opened && stream != nullptr) (*opened)->objc().release(stream);
}

Status MetalDevices::stream_synchronize(int device, void* stream) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  return opened->wait(opened->queue_of(stream));
}

Result<void*> MetalDevices::event_create(int device) {
  KMUX_TRY(check_device(device));
  return static_cast<void*>(new Event);
}

Result<void*> MetalDevices::event_create_untimed(int device) {
  KMUX_ASSIGN(void* const event, event_create(device));
  static_cast<Event*>(event)->is_timed = false;
  return event;
}

void MetalDevices::event_destroy(int, void* event) noexcept { delete static_cast<Event*>(event); }

// Records the event as a command buffer that only signals. Times are taken from the work around it.
Status MetalDevices::event_record(int device, void* event, void* stream) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  const ObjectiveC& objc = opened->objc();
  const AutoreleasePool pool(objc);
  Owned signal(objc, objc.new_event(opened->device()));
  if (!signal) {
    return make_error(ErrorCode::kUnavailable,
                      "the device gives no more events (backend metal). Destroy events that are done.");
  }
  const Id command_buffer = objc.command_buffer(opened->queue_of(stream));
  Owned held(objc, objc.retain(command_buffer));
  objc.signal_event(command_buffer, signal.get(), kSignalled);
  opened->completion().commit(command_buffer);
  auto& recorded = *static_cast<Event*>(event);
  const std::lock_guard lock(recorded.mutex);
  if (recorded.is_timed) recorded.mark = opened->work_log().mark(opened->queue_of(stream));
  recorded.gpu = opened;
  recorded.command_buffer = std::move(held);
  recorded.signal = std::move(signal);
  return Ok{};
}

// Commits an empty command buffer that waits: command buffers of a queue run in order, so it delays the later ones.
Status MetalDevices::stream_wait_event(int device, void* stream, void* event) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  const ObjectiveC& objc = opened->objc();
  auto& recorded = *static_cast<Event*>(event);
  Owned signal;
  {
    const std::lock_guard lock(recorded.mutex);
    if (!recorded.signal) return Ok{};
    signal = Owned(objc, objc.retain(recorded.signal.get()));
  }
  const AutoreleasePool pool(objc);
  const Id command_buffer = objc.command_buffer(opened->queue_of(stream));
  objc.wait_for_event(command_buffer, signal.get(), kSignalled);
  opened->completion().commit(command_buffer);
  return Ok{};
}

Result<double> MetalDevices::event_elapsed(int device, void* begin, void* end) {
  KMUX_ASSIGN(const auto opened, gpu(device));
  std::shared_ptr<const WorkLog::Mark> marks[2];
  for (const int i : {0, 1}) {
    auto& event = *static_cast<Event*>(i == 0 ? begin : end);
    const std::lock_guard lock(event.mutex);
    if (!event.command_buffer) {
      return make_error(ErrorCode::kInvalidArgument, "an event was never recorded. Record both first.");
    }
    opened->objc().wait(event.command_buffer.get());
    marks[i] = event.mark;
  }
  if (!marks[0] || !marks[1]) {
    return make_error(ErrorCode::kInvalidArgument,
                      "an event has no time (it was created without). Create it with one.");
  }
  return std::max(opened->work_log().seconds_between(*marks[0], *marks[1]), 0.0) * 1000;
}

// Fills more memory than the caches hold.
Status MetalDevices::l2_flush(int device, void* stream) {
  KMUX_ASSIGN(void* const memory, allocate(device, stream, kFlushBytes, 0));
  Status status = memset(device, stream, memory, 0, kFlushBytes);
  free(device, stream, memory);
  return status;
}

}  // namespace kmux::metal
