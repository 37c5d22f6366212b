#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "device.h"
#include "wrapper.h"

namespace kmux::hip {

/// HIP C++ on AMD's devices.
class HipBackend final : public Backend {
 public:
  static const PluginInfo kInfo;
  static Result<std::unique_ptr<Backend>> create(Host host);
  explicit HipBackend(Host host) : host_(host), wrapper_(host), builder_(host), devices_(host) {}

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Wrapper& wrapper() override { return wrapper_; }
  Builder& builder() override { return builder_; }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;
  DeviceApi& devices() override { return devices_; }

 private:
  Host host_;
  HipWrapper wrapper_;
  HipBuilder builder_;
  HipDevices devices_;
};

}  // namespace kmux::hip
