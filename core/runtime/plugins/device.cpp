#include "kmux/device.h"

#include "kmux/registry.h"
#include "kmux/runtime.h"

namespace kmux {

Device::Device(std::shared_ptr<Plugin> plugin, int ordinal)
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

}  // namespace kmux
