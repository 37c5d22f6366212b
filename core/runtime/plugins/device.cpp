#include "kmux/device.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <utility>

#include "kmux/guarded.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "launch_trail.h"
#include "system/fork_guard.h"

namespace kmux {

Device::Device(Shared<Plugin> plugin, int ordinal)
    : plugin_(std::move(plugin)), dl_{static_cast<DLDeviceType>(plugin_->api().devices->device_type), ordinal} {}

Device Device::foreign(DLDevice dl) {
  Device device;
  device.dl_ = dl;
  return device;
}

std::string Device::backend() const {
  if (plugin_ != nullptr) return plugin_->manifest().name;
  return is_host() ? "host" : "device type " + std::to_string(dl_.device_type);
}

std::string Device::to_string() const {
  if (plugin_ == nullptr && is_host()) return "host";
  return backend() + ":" + std::to_string(dl_.device_id);
}

Result<Json> Device::properties() const {
  return guarded([&]() -> Result<Json> {
    if (plugin_ != nullptr) return plugin_->backend().devices().properties(ordinal());
    return Json(Json::Object{{"name", backend()}, {"arch", "-"}});
  });
}

namespace {

/// Returns the text property `name` of the device, or `otherwise`.
std::string text_of(const Device& device, const char* name, const std::string& otherwise) {
  const Result<Json> properties = device.properties();
  const Json* const found = properties ? properties->find(name) : nullptr;
  const std::string* const text = found == nullptr ? nullptr : found->as_string();
  return text != nullptr ? *text : otherwise;
}

}  // namespace

std::string Device::name() const { return text_of(*this, "name", backend()); }
std::string Device::arch() const { return text_of(*this, "arch", "-"); }

std::int64_t Device::memory_bytes() const {
  const Result<Json> properties = this->properties();
  const Json* const found = properties ? properties->find("memory_bytes") : nullptr;
  const std::int64_t* const bytes = found == nullptr ? nullptr : found->as_integer();
  return bytes == nullptr ? 0 : *bytes;
}

Status Device::synchronize() const {
  return guarded([&]() -> Status {
    if (plugin_ == nullptr) return Ok{};
    return plugin_->backend().devices().stream_synchronize(ordinal(), nullptr);
  });
}

namespace {

/// Appends the devices of plugin `name`; none if it cannot run here.
Status append_devices(Registry& registry, const std::string& name, std::vector<Device>& found) {
  const auto plugin = registry.plugin(name);
  if (!plugin) return Ok{};
  const auto& report = (*plugin)->probe();
  if (!report || !report->can_run.ok()) return Ok{};
  KMUX_ASSIGN(const int count, (*plugin)->backend().devices().count());
  for (int i = 0; i < count; ++i) found.emplace_back(*plugin, i);
  return Ok{};
}

}  // namespace

Result<std::vector<Device>> devices(Runtime& runtime) {
  return guarded([&]() -> Result<std::vector<Device>> {
    std::vector<Device> found{Device{}};
    for (const Manifest& manifest : runtime.registry().manifests()) {
      KMUX_TRY(append_devices(runtime.registry(), manifest.name, found));
    }
    return found;
  });
}

Result<std::vector<Device>> devices() {
  KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
  return devices(*runtime);
}

Error needs_a_backend(std::string_view what, const Device& device) {
  return make_error(ErrorCode::kInvalidArgument,
                    "a" + std::string(what) + " cannot be made on " + device.to_string() +
                        " (it has no backend). Take a device of `devices()` or of a kernel.");
}

namespace {

DeviceApi& api_of(const Device& device) { return device.plugin()->backend().devices(); }

}  // namespace

Result<Stream> Stream::create(const Device& device, int priority) {
  return guarded([&]() -> Result<Stream> {
    if (device.plugin() == nullptr) return needs_a_backend(" stream", device);
    DeviceApi& api = api_of(device);
    KMUX_ASSIGN(void* const handle, priority == 0 ? api.stream_create(device.ordinal())
                                                  : api.stream_create_with_priority(device.ordinal(), priority));
    return Stream(device, Shared<void>(handle, [device](void* owned) {
                    api_of(device).stream_destroy(device.ordinal(), owned);
                  }));
  });
}

Stream Stream::borrow(const Device& device, void* handle) {
  return Stream(device, Shared<void>(handle, [](void*) {}));
}

Status Stream::synchronize() const {
  return guarded([&]() -> Status {
    if (device_.plugin() == nullptr) return Ok{};
    return api_of(device_).stream_synchronize(device_.ordinal(), handle());
  });
}

Status Stream::wait(const Event& event) const {
  return guarded([&]() -> Status {
    const Device& device = event.device_;
    return api_of(device).stream_wait_event(device.ordinal(), handle(), event.handle_.get());
  });
}

Result<Event> Event::create(const Device& device) {
  return guarded([&]() -> Result<Event> {
    if (device.plugin() == nullptr) return needs_a_backend("n event", device);
    KMUX_ASSIGN(void* const handle, api_of(device).event_create(device.ordinal()));
    return Event(
        device, Shared<void>(handle, [device](void* owned) { api_of(device).event_destroy(device.ordinal(), owned); }));
  });
}

Status Event::record(StreamRef stream) const {
  return guarded(
      [&]() -> Status { return api_of(device_).event_record(device_.ordinal(), handle_.get(), stream.handle); });
}

// Querying an elapsed time waits for the event.
Status Event::synchronize() const {
  return guarded([&]() -> Status {
    KMUX_TRY(elapsed_since(*this));
    return Ok{};
  });
}

Result<double> Event::elapsed_since(const Event& begin) const {
  return guarded([&]() -> Result<double> {
    return api_of(device_).event_elapsed(device_.ordinal(), begin.handle_.get(), handle_.get());
  });
}

namespace {

// A handle below 16 names a stream: 0 and 1 the one of all threads, 2 a separate one in each thread. Source:
// tensor/thread_stream.h.
constexpr std::uintptr_t kLegacy = 1;
constexpr std::uintptr_t kStreamNames = 16;

constexpr const char* kLaunchesNote = "launched before";

std::uintptr_t handle_of(const void* stream) {
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  return handle == kLegacy ? 0 : handle;
}

bool is_of_thread(const void* stream) { return handle_of(stream) > kLegacy && handle_of(stream) < kStreamNames; }

}  // namespace

constinit LaunchTrail launch_trail;

LaunchTrail::Mark LaunchTrail::mark_of(std::string_view kernel, int device_type) {
  struct Names {
    std::mutex mutex;
    ForkGuard guard{mutex};
    std::map<std::pair<std::string, int>, Name> by_kernel;  // its nodes have stable addresses
  };
  static auto& names = *new Names;
  const std::lock_guard lock(names.mutex);
  std::string name(kernel);
  return reinterpret_cast<Mark>(
      &names.by_kernel.try_emplace({name, device_type}, Name{name, device_type}).first->second);
}

bool LaunchTrail::is_on(Mark mark, int device_type, int ordinal) {
  if (mark == 0 || mark % kOrdinals != static_cast<unsigned>(ordinal) % kOrdinals) return false;
  return std::bit_cast<const Name*>(mark & ~kBits)->device_type == device_type;
}

// Changes the marks of launches on a stream. A mark that its thread replaces concurrently is left alone.
template <class Change>
void LaunchTrail::change_on(int device_type, int ordinal, const void* stream, const Change& change) noexcept {
  const std::size_t own = (thread_calls.lane - 1) % kThreads;
  const std::size_t used = std::min<std::size_t>(lanes_used.load(std::memory_order_relaxed), kThreads);
  for (std::size_t i = 0; i < used; ++i) {
    if (is_of_thread(stream) && i != own) continue;
    for (Launch& launch : threads_[i]) {
      const std::atomic_ref mark(launch.mark);
      Mark seen = mark.load(std::memory_order_relaxed);
      if (!is_on(seen, device_type, ordinal)) continue;
      if (handle_of(std::atomic_ref(launch.stream).load(std::memory_order_relaxed)) != handle_of(stream)) continue;
      const Mark changed = change(seen);
      if (changed != seen) mark.compare_exchange_strong(seen, changed, std::memory_order_relaxed);
    }
  }
}

void LaunchTrail::begin_wait(int device_type, int ordinal, void* stream) noexcept {
  change_on(device_type, ordinal, stream, [](Mark mark) { return mark | kAwaited; });
}

void LaunchTrail::end_wait(int device_type, int ordinal, void* stream, bool good) noexcept {
  if (!good) return;
  change_on(device_type, ordinal, stream, [](Mark mark) { return (mark & kAwaited) != 0 ? 0 : mark; });
}

std::string LaunchTrail::text_of(Thread& thread, std::size_t next, int device_type, int ordinal) {
  std::string text;
  const std::string* last = nullptr;
  int times = 0;
  const auto add = [&] {
    if (last == nullptr) return;
    text += (text.empty() ? "" : ", ") + (times > 1 ? std::to_string(times) + " x " : "") + *last;
  };
  for (std::size_t i = 0; i < kLaunches; ++i) {
    const Mark mark = std::atomic_ref(thread[(next - 1 - i) % kLaunches].mark).load(std::memory_order_relaxed);
    if (!is_on(mark, device_type, ordinal)) continue;
    const std::string* const name = &std::bit_cast<const Name*>(mark & ~kBits)->kernel;
    if (name != last) {
      add();
      times = 0;
    }
    last = name;
    ++times;
  }
  add();
  return text;
}

std::string LaunchTrail::text_of(int device_type, int ordinal) {
  const std::size_t own = (thread_calls.lane - 1) % kThreads;
  const std::size_t used = std::min<std::size_t>(lanes_used.load(std::memory_order_relaxed), kThreads);
  std::string text = thread_calls.lane == 0 ? "" : text_of(threads_[own], thread_calls.launches, device_type, ordinal);
  for (std::size_t i = 0; i < used; ++i) {
    if (i == own) continue;
    const std::string other = text_of(threads_[i], 0, device_type, ordinal);
    if (!other.empty()) text += (text.empty() ? "" : "\n") + std::string("by another thread, in any order: ") + other;
  }
  return text;
}

Error with_launches(Error error, int device_type, int ordinal) {
  if (error.code != ErrorCode::kLaunchFailed || error.note(kLaunchesNote)) return error;
  std::string text = launch_trail.text_of(device_type, ordinal);
  return text.empty() ? std::move(error) : std::move(error).with(kLaunchesNote, std::move(text));
}

}  // namespace kmux
