#pragma once

#include <atomic>

#include "kmux/plugin/backend.h"

#include "plugin_device_api.h"

namespace kmux {

/// Calls `standalone` of a table that may have none: unsupported then.
kmux_code call_standalone(const kmux_plugin_api& api, void* instance, const kmux_build_request& request,
                          kmux_bytes artifact, kmux_sink parts, kmux_sink error);

/// A plugin's table and instance as the abstract class that its author derived from.
///
/// Lifetime: borrows table and instance.
class PluginBackend final : public Backend, private Wrapper, private Builder {
 public:
  PluginBackend(const kmux_plugin_api& api, void* instance) : api_(api), instance_(instance), devices_(api, instance) {}

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Wrapper& wrapper() override { return *this; }
  Builder& builder() override { return *this; }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  DeviceApi& devices() override { return devices_; }
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;

 private:
  Result<std::string> wrap(const BuildRequest& request) override;
  Result<std::string> toolchain(const Target& target, const Options& options) override;
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;
  void add_unknown_dependencies(Artifact& artifact);

  const kmux_plugin_api& api_;
  void* instance_;
  PluginDeviceApi devices_;
  std::atomic<bool> told_of_dependencies_ = false;
};

/// An adapter of a plugin. The hot path skips it: its entry is what the plugin says, or else the table's function with the
/// plugin's own adapter.
class PluginAdapter final : public Adapter {
 public:
  PluginAdapter(const kmux_plugin_api& api, void* handle) : api_(api), handle_(handle) {}
  ~PluginAdapter() override { api_.unload(handle_); }
  PluginAdapter(const PluginAdapter&) = delete;
  PluginAdapter& operator=(const PluginAdapter&) = delete;

  Status prepare(int device) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    return api_.launch(handle_, slots, &env, error);
  }
  LaunchEntry entry() noexcept override;

 private:
  const kmux_plugin_api& api_;
  void* handle_;
};

}  // namespace kmux
