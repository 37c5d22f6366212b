#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "device.h"
#include "null/manifest.h"
#include "wrapper.h"

namespace kmux::null {

/// The capabilities of a backend, as in its manifest.
struct Traits {
  std::string name;
  std::vector<std::string> targets;   // kinds; "auto" is the first
  std::vector<std::string> dialects;
  std::vector<std::string> features;  // of kmux/plugin/features.h
};

/// A backend without computation: it wraps, builds and loads, and its launches leave memory unchanged.
class NullBackend final : public Backend {
 public:
  static constexpr PluginInfo kInfo{manifest::kName, manifest::kVersion, manifest::kDeviceType};
  static Result<std::unique_ptr<Backend>> create(Host host);
  explicit NullBackend(Traits traits) : traits_(std::move(traits)), wrapper_(traits_.name), builder_(traits_.name) {}

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Wrapper& wrapper() override { return wrapper_; }
  Builder& builder() override { return builder_; }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  DeviceApi& devices() override { return devices_; }

 private:
  Traits traits_;
  NullWrapper wrapper_;
  NullBuilder builder_;
  NullDevices devices_;
};

}  // namespace kmux::null
