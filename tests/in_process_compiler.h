#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/registry.h"

#include "in_process_plugin.h"

namespace kmux {

/// A plugin of the test that compiles dialect c for the host: a subclass defines how.
class InProcessCompiler : public Plugin, protected Backend, protected Wrapper, protected Builder {
 public:
  const Manifest& manifest() const override { return manifest_; }
  const std::filesystem::path& library() const override { return library_; }
  Backend& backend() const override { return const_cast<InProcessCompiler&>(*this); }
  const kmux_plugin_api& api() const override { return table_; }
  const Result<ProbeReport>& probe() const override { return probe_; }

 protected:
  explicit InProcessCompiler(std::string name) {
    manifest_.name = std::move(name);
    manifest_.targets = {"cpu"};
    manifest_.dialects = {"c"};
    manifest_.device_types = {kDLCPU};
    devices_table_.struct_size = sizeof devices_table_;
    devices_table_.device_type = kDLCPU;
    table_.struct_size = sizeof table_;
    table_.name = manifest_.name.c_str();
    table_.devices = &devices_table_;
  }
  InProcessCompiler(const InProcessCompiler&) = delete;
  InProcessCompiler& operator=(const InProcessCompiler&) = delete;

  Result<ProbeReport> probe() override { return ProbeReport{}; }
  Result<Target> resolve_target(std::string_view, std::optional<int>) override { return Target{"cpu"}; }
  Result<std::vector<MissingFeature>> supports(const BuildRequest&) override { return std::vector<MissingFeature>{}; }
  Wrapper& wrapper() override { return *this; }
  Builder& builder() override { return *this; }
  DeviceApi& devices() override { return devices_; }
  Result<std::string> wrap(const BuildRequest&) override { return std::string("launcher"); }
  Result<std::string> toolchain(const Target&, const Options&) override { return manifest_.name; }

  Manifest manifest_;

 private:
  InProcessDevices devices_;
  kmux_device_api devices_table_{};
  kmux_plugin_api table_{};
  std::filesystem::path library_;
  Result<ProbeReport> probe_{ProbeReport{}};
};

/// A registry that returns its one plugin for any name.
class SinglePluginRegistry final : public Registry {
 public:
  explicit SinglePluginRegistry(Shared<Plugin> plugin)
      : plugin_(std::move(plugin)),
        manifests_{plugin_->manifest()},
        entries_{{"in process", plugin_->manifest(), Ok{}}} {}
  std::vector<std::filesystem::path> search_path() const override { return {}; }
  const std::vector<PluginEntry>& entries() const override { return entries_; }
  const std::vector<Manifest>& manifests() const override { return manifests_; }
  Result<Shared<Plugin>> plugin(std::string_view) override { return plugin_; }
  Status unload(std::string_view) override { return Ok{}; }
  void on_unload(std::function<void(std::string_view)>) override {}
  Status verify() const override { return Ok{}; }

 private:
  Shared<Plugin> plugin_;
  std::vector<Manifest> manifests_;
  std::vector<PluginEntry> entries_;
};

}  // namespace kmux
