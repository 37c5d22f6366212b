#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "in_process_plugin.h"

namespace kmux {

/// A plugin of this process that compiles by calling a function of the test, from any thread, and loads anything.
class CompilingPlugin final : public Plugin, private Backend, private Wrapper, private Builder {
 public:
  using Compile = std::function<Result<Artifact>(const Program& program)>;

  explicit CompilingPlugin(Compile compile) : compile_(std::move(compile)) {
    manifest_.name = "compiling";
    manifest_.targets = {"cpu"};
    manifest_.dialects = {"c"};
    manifest_.device_types = {kDLCPU};
    devices_table_.struct_size = sizeof devices_table_;
    devices_table_.device_type = kDLCPU;
    table_.struct_size = sizeof table_;
    table_.name = "compiling";
    table_.devices = &devices_table_;
  }
  const Manifest& manifest() const override { return manifest_; }
  const std::filesystem::path& library() const override { return library_; }
  Backend& backend() const override { return const_cast<CompilingPlugin&>(*this); }
  const kmux_plugin_api& api() const override { return table_; }
  const Result<ProbeReport>& probe() const override { return probe_; }

 private:
  Result<ProbeReport> probe() override { return ProbeReport{}; }
  Result<Target> resolve_target(std::string_view, std::optional<int>) override { return Target{"cpu"}; }
  Result<std::vector<MissingFeature>> supports(const BuildRequest&) override { return std::vector<MissingFeature>{}; }
  Wrapper& wrapper() override { return *this; }
  Builder& builder() override { return *this; }
  Result<std::unique_ptr<Adapter>> load(const Artifact&, int) override {
    return std::unique_ptr<Adapter>(std::make_unique<InProcessAdapter>(FakeLaunch{}));
  }
  DeviceApi& devices() override { return devices_; }
  Result<std::string> wrap(const BuildRequest&) override { return std::string("launcher"); }
  Result<std::string> toolchain(const Target&, const Options&) override { return std::string("test"); }
  Result<Artifact> build(const BuildRequest& request, std::string_view) override { return compile_(request.program); }

  Compile compile_;
  InProcessDevices devices_;
  kmux_device_api devices_table_{};
  kmux_plugin_api table_{};
  Manifest manifest_;
  std::filesystem::path library_;
  Result<ProbeReport> probe_{ProbeReport{}};
};

/// A registry of that plugin alone.
class CompilingRegistry final : public Registry {
 public:
  explicit CompilingRegistry(CompilingPlugin::Compile compile)
      : plugin_(std::make_shared<CompilingPlugin>(std::move(compile))) {}
  std::vector<std::filesystem::path> search_path() const override { return {}; }
  std::vector<PluginEntry> entries() const override { return {{"compiling", plugin_->manifest(), Ok{}}}; }
  std::vector<Manifest> manifests() const override { return {plugin_->manifest()}; }
  Result<std::shared_ptr<Plugin>> plugin(std::string_view) override { return std::shared_ptr<Plugin>(plugin_); }
  Status unload(std::string_view) override { return Ok{}; }
  void on_unload(std::function<void(std::string_view)>) override {}
  Status verify() const override { return Ok{}; }

 private:
  std::shared_ptr<CompilingPlugin> plugin_;
};

/// A door that threads wait at until the test opens it.
class Door {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = true;
    }
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void await_waiting(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int waiting_ = 0;
};

}  // namespace kmux
