#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kmux/registry.h"

#include "in_process_plugin.h"

namespace kmux {

/// A number that several threads may increment; thread-safe.
class Count {
 public:
  Count(int value = 0) : value_(value) {}
  Count(const Count& other) : value_(other) {}
  Count& operator=(int value) { return value_ = value, *this; }
  operator int() const { return value_; }
  void operator++() { ++value_; }

 private:
  std::atomic<int> value_;
};

/// The results of a fake plugin, and the counts of its calls.
struct PluginScript {
  Manifest manifest;
  Status refused = Ok{};  // the registry's status of the plugin
  Status opens = Ok{};
  ProbeReport probe = {};
  Result<Target> target = Target{"cpu", "x86-64"};
  std::vector<MissingFeature> missing = {};
  Status wraps = Ok{};
  Status builds = Ok{};
  Result<std::string> toolchain = std::string("fake");
  std::string dependencies = {};  // the artifact's part; empty: none
  std::string state = {};         // as `dependencies`
  Status loads = make_error(ErrorCode::kUnsupported, "a fake loads nothing");
  std::function<void(const Options&)> building = {};  // called by every build
  std::function<void()> loading = {};                       // called by every load
  std::vector<double> run_ms = {};  // of a launch, by variant; returned by the events of every scripted device
  std::optional<double> odd_run_ms = {};  // of every second launch

  Count opened = {};
  Count supports_asked = {};
  Count built = {};
  Count launched = {};
  std::string target_asked = {};
  std::optional<int> device_asked = {};
  Options options_seen = {};
  std::shared_ptr<void> users = std::make_shared<char>();  // one user more than plugins of this script
};

/// Devices whose events return the duration of the last launch, from its script.
class ScriptedDevices final : public InProcessDevices {
 public:
  static double& last_launch_ms() {
    thread_local double ms = 0;
    return ms;
  }
  Result<double> event_elapsed(int, void*, void*) override { return last_launch_ms(); }
};

/// An in-process backend that returns the results of a script.
class ScriptedBackend final : public Backend, private Wrapper, private Builder {
 public:
  explicit ScriptedBackend(PluginScript& script) : script_(script) {}
  Result<ProbeReport> probe() override { return script_.probe; }
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override {
    script_.target_asked = request;
    script_.device_asked = device;
    return script_.target;
  }
  Result<std::vector<MissingFeature>> supports(const BuildRequest&) override {
    ++script_.supports_asked;
    return script_.missing;
  }
  Wrapper& wrapper() override { return *this; }
  Builder& builder() override { return *this; }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int) override {
    if (script_.loading) script_.loading();
    if (!script_.loads) return script_.loads.error();
    const auto variant = static_cast<std::size_t>(artifact.find("code")->back() - '0');
    return std::unique_ptr<Adapter>(
        std::make_unique<InProcessAdapter>([this, variant](const kmux_slot*, const kmux_launch_env&, kmux_sink) {
          ++script_.launched;
          ScriptedDevices::last_launch_ms() = variant < script_.run_ms.size() ? script_.run_ms[variant] : 1;
          if (script_.odd_run_ms && script_.launched % 2 == 1) ScriptedDevices::last_launch_ms() = *script_.odd_run_ms;
          return KMUX_OK;
        }));
  }
  DeviceApi& devices() override { return devices_; }

 private:
  Result<std::string> wrap(const BuildRequest& request) override {
    if (!script_.wraps) return script_.wraps.error();
    script_.options_seen = request.options;
    return script_.manifest.name + " launches variant " + std::to_string(request.variant);
  }
  Result<std::string> toolchain(const Target&, const Options&) override { return script_.toolchain; }
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override {
    if (script_.building) script_.building(request.options);
    ++script_.built;
    if (!script_.builds) return script_.builds.error();
    Artifact artifact{{{"code", std::string(launcher)}}};
    if (!script_.dependencies.empty()) artifact.set("deps", script_.dependencies);
    if (!script_.state.empty()) artifact.set("state", script_.state);
    return artifact;
  }
  PluginScript& script_;
  ScriptedDevices devices_;
};

class ScriptedPlugin final : public Plugin {
 public:
  explicit ScriptedPlugin(PluginScript& script) : script_(script), backend_(script), probe_(backend_.probe()) {
    devices_.device_type = kDLCPU;
    api_.devices = &devices_;
  }
  const Manifest& manifest() const override { return script_.manifest; }
  const std::filesystem::path& library() const override { return library_; }
  Backend& backend() const override { return backend_; }
  const kmux_plugin_api& api() const override { return api_; }
  const Result<ProbeReport>& probe() const override { return probe_; }

 private:
  PluginScript& script_;
  std::shared_ptr<void> use_ = script_.users;
  mutable ScriptedBackend backend_;
  Result<ProbeReport> probe_;
  kmux_device_api devices_{};
  kmux_plugin_api api_{};
  std::filesystem::path library_ = "fake.so";
};

/// A registry of scripted plugins.
///
/// Lifetime: borrows the scripts.
class ScriptedRegistry final : public Registry {
 public:
  explicit ScriptedRegistry(std::vector<PluginScript*> scripts, Options options = {})
      : scripts_(std::move(scripts)), options_(std::move(options)) {
    read();
  }
  Options plugin_options() const override { return options_; }
  std::vector<std::filesystem::path> search_path() const override { return {"/first", "/second"}; }
  const std::vector<PluginEntry>& entries() const override { return read(), entries_; }
  const std::vector<Manifest>& manifests() const override { return read(), manifests_; }
  Result<Shared<Plugin>> plugin(std::string_view name) override {
    for (PluginScript* script : scripts_) {
      if (script->manifest.name != name) continue;
      ++script->opened;
      if (!script->opens) return script->opens.error();
      return Shared<Plugin>(Shared<ScriptedPlugin>::make(*script));
    }
    return make_error(ErrorCode::kInvalidArgument, "no such fake");
  }
  Status unload(std::string_view) override { return Ok{}; }
  void on_unload(std::function<void(std::string_view)>) override {}
  Status verify() const override { return Ok{}; }

 private:
  static bool says(const PluginScript* script, const PluginEntry& entry) {
    return entry.manifest == script->manifest && entry.status.ok() == script->refused.ok();
  }
  /// Tests may change their scripts between calls only, never concurrently.
  void read() const {
    if (std::ranges::equal(scripts_, entries_, says)) return;
    entries_.clear();
    manifests_.clear();
    for (const PluginScript* script : scripts_) {
      entries_.push_back({"fake", script->manifest, script->refused});
      if (script->refused) manifests_.push_back(script->manifest);
    }
  }

  std::vector<PluginScript*> scripts_;
  Options options_;
  mutable std::vector<PluginEntry> entries_;
  mutable std::vector<Manifest> manifests_;
};

}  // namespace kmux
