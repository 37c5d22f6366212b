#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "kmux/plugin/backend.h"

namespace kmux {

/// Adapts the device table of a plugin to the abstract class.
///
/// Lifetime: borrows table and instance.
class PluginDeviceApi final : public DeviceApi {
 public:
  PluginDeviceApi(const kmux_plugin_api& api, void* instance) : api_(api), instance_(instance) {}

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
  void event_destroy(int device, void* event) noexcept override;
  Status event_record(int device, void* event, void* stream) override;
  Result<double> event_elapsed(int device, void* begin, void* end) override;
  Status l2_flush(int device, void* stream) override;
  Status stream_wait_event(int device, void* stream, void* event) override;
  Result<std::uint64_t> stream_capture(int device, void* stream) override;
  Result<void*> event_create_untimed(int device) override;
  Result<void*> host_allocate(int device, std::size_t bytes, std::size_t alignment) override;
  void host_free(int device, void* address) noexcept override;
  Result<void*> stream_create_with_priority(int device, int priority) override;
  Status copy_peer(int device, void* stream, void* to, int from_device, const void* from, std::size_t bytes) override;

 private:
  const kmux_plugin_api& api_;
  void* instance_;
};

/// Returns the allocator of workspaces for launchers on devices of `devices`: device memory, in stream order.
///
/// Lifetime: borrows `devices`.
kmux_allocator workspaces_of(DeviceApi& devices);

/// Calls `standalone` of a table. Returns unsupported if the table has none.
kmux_code call_standalone(const kmux_plugin_api& api, void* instance, const kmux_build_request& request,
                          kmux_sink parts, kmux_sink error);

/// Adapts a plugin's table and instance to the abstract class that its author derives from.
///
/// Lifetime: borrows table and instance.
class PluginBackend final : public Backend, private Wrapper, private Builder {
 public:
  /// `built` is called with the options of each successful build.
  PluginBackend(const kmux_plugin_api& api, void* instance, std::function<void(const Options&)> built = {})
      : api_(api), instance_(instance), devices_(api, instance), built_(std::move(built)) {}

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
  std::function<void(const Options&)> built_;  // may be empty
  std::atomic<bool> told_of_dependencies_ = false;
};

/// An adapter of a plugin. The hot path bypasses it: `entry` returns the plugin's own entry, or else the table's
/// function with the plugin's adapter.
class PluginAdapter final : public Adapter {
 public:
  PluginAdapter(const kmux_plugin_api& api, void* handle) : api_(api), handle_(handle) {}
  ~PluginAdapter() override { api_.unload(handle_); }
  PluginAdapter(const PluginAdapter&) = delete;
  PluginAdapter& operator=(const PluginAdapter&) = delete;

  Status prepare(int device) override;
  Result<ConstantPlace> constant(int device, std::string_view name) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    return api_.launch(handle_, slots, &env, error);
  }
  LaunchEntry entry() noexcept override;

 private:
  const kmux_plugin_api& api_;
  void* handle_;
};

}  // namespace kmux
