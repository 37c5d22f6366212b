#include "kmux/device.h"

#include "kmux/registry.h"
#include "kmux/runtime.h"

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
  if (plugin_ != nullptr) return plugin_->backend().devices().properties(ordinal());
  return Json(Json::Object{{"name", backend()}, {"arch", "-"}});
}

Status Device::synchronize() const {
  if (plugin_ == nullptr) return Ok{};
  return plugin_->backend().devices().stream_synchronize(ordinal(), nullptr);
}

namespace {

/// Appends the devices of plugin `name`; one that cannot run here has none.
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
  std::vector<Device> found{Device{}};
  for (const Manifest& manifest : runtime.registry().manifests()) {
    KMUX_TRY(append_devices(runtime.registry(), manifest.name, found));
  }
  return found;
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
  if (device.plugin() == nullptr) return needs_a_backend(" stream", device);
  DeviceApi& api = api_of(device);
  KMUX_ASSIGN(void* const handle, priority == 0 ? api.stream_create(device.ordinal())
                                                : api.stream_create_with_priority(device.ordinal(), priority));
  return Stream(
      device, Shared<void>(handle, [device](void* owned) { api_of(device).stream_destroy(device.ordinal(), owned); }));
}

Stream Stream::borrow(const Device& device, void* handle) {
  return Stream(device, Shared<void>(handle, [](void*) {}));
}

Status Stream::synchronize() const {
  if (device_.plugin() == nullptr) return Ok{};
  return api_of(device_).stream_synchronize(device_.ordinal(), handle());
}

Status Stream::wait(const Event& event) const {
  const Device& device = event.device_;
  return api_of(device).stream_wait_event(device.ordinal(), handle(), event.handle_.get());
}

Result<Event> Event::create(const Device& device) {
  if (device.plugin() == nullptr) return needs_a_backend("n event", device);
  KMUX_ASSIGN(void* const handle, api_of(device).event_create(device.ordinal()));
  return Event(device,
               Shared<void>(handle, [device](void* owned) { api_of(device).event_destroy(device.ordinal(), owned); }));
}

Status Event::record(StreamRef stream) const {
  return api_of(device_).event_record(device_.ordinal(), handle_.get(), stream.handle);
}

// To ask for a time waits for it.
Status Event::synchronize() const {
  KMUX_TRY(elapsed_since(*this));
  return Ok{};
}

Result<double> Event::elapsed_since(const Event& begin) const {
  return api_of(device_).event_elapsed(device_.ordinal(), begin.handle_.get(), handle_.get());
}

}  // namespace kmux
