#include "device.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>
#include <vector>

namespace kmux::opencl {
namespace {

constexpr std::uint64_t kMinFlushBytes = 32 << 20;
constexpr double kNanosecondsPerMillisecond = 1e6;

// An event of OpenCL, held.
class HeldEvent {
 public:
  HeldEvent() = default;
  HeldEvent(const Api& api, ClEvent event) : api_(&api), event_(event) {}
  HeldEvent(const HeldEvent& other) : api_(other.api_), event_(other.event_) {
    if (event_ != nullptr) api_->clRetainEvent(event_);
  }
  HeldEvent& operator=(HeldEvent other) noexcept {
    std::swap(api_, other.api_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~HeldEvent() {
    if (event_ != nullptr) api_->clReleaseEvent(event_);
  }
  const ClEvent* get() const { return event_ == nullptr ? nullptr : &event_; }

 private:
  const Api* api_ = nullptr;
  ClEvent event_ = nullptr;
};

// What a stream had reached when it was recorded, the last time.
class Event {
 public:
  void record(HeldEvent marker, int device) {
    const std::lock_guard lock(mutex_);
    marker_ = std::move(marker);
    device_ = device;
  }
  std::pair<HeldEvent, int> recorded() {
    const std::lock_guard lock(mutex_);
    return {marker_, device_};
  }

 private:
  std::mutex mutex_;
  HeldEvent marker_;
  int device_ = 0;
};

Event& event_of(void* event) { return *static_cast<Event*>(event); }

Result<std::uint64_t> end_of(OpenDevice& device, const HeldEvent& event) {
  if (event.get() == nullptr)
    return make_error(ErrorCode::kInvalidArgument, "an event was never recorded. Record both first.");
  const Api& api = device.api();
  KMUX_TRY(check("clWaitForEvents", api.clWaitForEvents(1, event.get()), device.with_device("")));
  std::uint64_t nanoseconds = 0;
  KMUX_TRY(check("clGetEventProfilingInfo",
                 api.clGetEventProfilingInfo(*event.get(), kCommandEnd, sizeof nanoseconds, &nanoseconds, nullptr),
                 device.with_device("")));
  return nanoseconds;
}

const char* type_of(Bits type) {
  if ((type & kGpuDevice) != 0) return "gpu";
  return (type & kCpuDevice) != 0 ? "cpu" : "accelerator";
}

}  // namespace

Result<OpenDevice*> OpenClDevices::device(int device) {
  KMUX_ASSIGN(const auto machine, open_());
  return machine->device(device);
}

Result<int> OpenClDevices::count() {
  const auto machine = open_();
  if (machine) return static_cast<int>((*machine)->devices().size());
  if (machine.error().code == ErrorCode::kUnavailable) return 0;
  return machine.error();
}

Result<Json> OpenClDevices::properties(int device) {
  KMUX_ASSIGN(const auto machine, open_());
  KMUX_ASSIGN(const DeviceInfo* const info, machine->info(device));
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return Json(Json::Object{{"name", info->name},
                           {"arch", info->arch},
                           {"memory_bytes", number(info->memory_bytes)},
                           {"kind", type_of(info->type)},
                           {"version", info->version},
                           {"driver", info->driver_version},
                           {"platform", info->platform_version},
                           {"compute_units", number(info->compute_units)},
                           {"local_memory_bytes", number(info->local_bytes)},
                           {"max_work_group_size", number(info->max_group)},
                           {"shared_virtual_memory", info->has_shared_memory},
                           {"sub_groups", info->has_extension("cl_khr_subgroups")}});
}

Result<void*> OpenClDevices::allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  if (alignment > Memory::kAlignment || (alignment != 0 && !std::has_single_bit(alignment))) {
    return make_error(ErrorCode::kInvalidArgument,
                      "alignment " + std::to_string(alignment) +
                          " is not supported (backend opencl aligns to powers of two up to " +
                          std::to_string(Memory::kAlignment) + "). Use one of these.");
  }
  return opened->memory().allocate(opened->queue_of(stream), bytes);
}

void OpenClDevices::free(int device, void* stream, void* address) noexcept {
  const auto opened = this->device(device);
  if (opened && address != nullptr) (*opened)->memory().free((*opened)->queue_of(stream), address);
}

Status OpenClDevices::check_ours(OpenDevice& device, const void* address, std::size_t bytes, const char* what) {
  if (device.memory().is_shared() || device.memory().find(address).rest >= bytes) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, std::string(what) + " is not memory that kmux allocated (" +
                                                     device.with_device(std::to_string(bytes) + " bytes") +
                                                     "). Pass a tensor of the device.");
}

Status OpenClDevices::copy(int device, void* stream, void* to, const void* from, std::size_t bytes,
                           kmux_copy_kind kind) {
  if (bytes == 0) return Ok{};
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  if (kind != KMUX_COPY_DEVICE_TO_HOST) KMUX_TRY(check_ours(*opened, to, bytes, "the target of a copy"));
  if (kind != KMUX_COPY_HOST_TO_DEVICE) KMUX_TRY(check_ours(*opened, from, bytes, "the source of a copy"));
  const bool blocks = kind != KMUX_COPY_DEVICE_TO_DEVICE;
  const Queue queue = opened->queue_of(stream);
  return check("clEnqueueSVMMemcpy", opened->memory().copy(queue, blocks, to, from, bytes, kind),
               opened->with_device(std::to_string(bytes) + " bytes"));
}

Status OpenClDevices::memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return Ok{};
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  KMUX_TRY(check_ours(*opened, address, bytes, "memory to set"));
  return check("clEnqueueSVMMemFill", opened->memory().fill(opened->queue_of(stream), address, value, bytes),
               opened->with_device(std::to_string(bytes) + " bytes"));
}

// OpenCL has no number for what is free; what this process took is known.
Result<DeviceApi::MemoryInfo> OpenClDevices::memory_info(int device) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  const std::uint64_t total = opened->info().memory_bytes;
  return MemoryInfo{total - std::min(total, opened->memory().used_bytes()), total};
}

Result<void*> OpenClDevices::stream_create(int device) { return stream_create_with_priority(device, 0); }

Result<void*> OpenClDevices::stream_create_with_priority(int device, int priority) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  KMUX_ASSIGN(const Queue queue, opened->make_queue(priority));
  return static_cast<void*>(queue);
}

// The address of the queue may be that of a later one, so what was freed on it has to be done with.
void OpenClDevices::stream_destroy(int device, void* stream) noexcept {
  const auto opened = this->device(device);
  if (!opened || stream == nullptr) return;
  [[maybe_unused]] const Status done = (*opened)->finish(static_cast<Queue>(stream));
  (*opened)->api().clReleaseCommandQueue(static_cast<Queue>(stream));
}

Status OpenClDevices::stream_synchronize(int device, void* stream) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  return opened->finish(opened->queue_of(stream));
}

Result<void*> OpenClDevices::event_create(int device) {
  KMUX_TRY(this->device(device));
  return static_cast<void*>(new Event);
}

void OpenClDevices::event_destroy(int, void* event) noexcept { delete static_cast<Event*>(event); }

Status OpenClDevices::event_record(int device, void* event, void* stream) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  const Api& api = opened->api();
  const Queue queue = opened->queue_of(stream);
  ClEvent marker = nullptr;
  KMUX_TRY(check("clEnqueueMarkerWithWaitList", api.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &marker),
                 opened->with_device("")));
  event_of(event).record(HeldEvent(api, marker), device);
  return check("clFlush", api.clFlush(queue), opened->with_device(""));
}

Status OpenClDevices::stream_wait_event(int device, void* stream, void* event) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  const auto [marker, where] = event_of(event).recorded();
  if (marker.get() == nullptr) return Ok{};
  const Api& api = opened->api();
  if (where != device) return check("clWaitForEvents", api.clWaitForEvents(1, marker.get()), opened->with_device(""));
  return check("clEnqueueBarrierWithWaitList",
               api.clEnqueueBarrierWithWaitList(opened->queue_of(stream), 1, marker.get(), nullptr),
               opened->with_device(""));
}

Result<double> OpenClDevices::event_elapsed(int device, void* begin, void* end) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  KMUX_ASSIGN(const std::uint64_t first, end_of(*opened, event_of(begin).recorded().first));
  KMUX_ASSIGN(const std::uint64_t last, end_of(*opened, event_of(end).recorded().first));
  return last < first ? 0.0 : static_cast<double>(last - first) / kNanosecondsPerMillisecond;
}

// Writes twice the cache, so that nothing from before is in it.
Status OpenClDevices::l2_flush(int device, void* stream) {
  KMUX_ASSIGN(OpenDevice* const opened, this->device(device));
  const std::size_t bytes = std::max(2 * opened->info().cache_bytes, kMinFlushBytes);
  KMUX_ASSIGN(void* const memory, allocate(device, stream, bytes, 0));
  Status status = memset(device, stream, memory, 0, bytes);
  free(device, stream, memory);
  return status;
}

// Each device has a context of its own, and memory of one means nothing in another.
Status OpenClDevices::copy_peer(int device, void* stream, void* to, int from_device, const void* from,
                                std::size_t bytes) {
  if (bytes == 0) return Ok{};
  std::vector<char> staged(bytes);
  KMUX_TRY(stream_synchronize(device, stream));
  KMUX_TRY(copy(from_device, nullptr, staged.data(), from, bytes, KMUX_COPY_DEVICE_TO_HOST));
  return copy(device, stream, to, staged.data(), bytes, KMUX_COPY_HOST_TO_DEVICE);
}

}  // namespace kmux::opencl
