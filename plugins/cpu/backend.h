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

namespace kmux::cpu {

/// C and C++ functions on this machine's processor.
class CpuBackend final : public Backend {
 public:
  static const PluginInfo kInfo;
  static Result<std::unique_ptr<Backend>> create(Host host);
  explicit CpuBackend(Host host) : wrapper_(host), builder_(host) {}

  /// What a variant may use; the manifest says the same.
  static const std::vector<std::string>& features();

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Wrapper& wrapper() override { return wrapper_; }
  Builder& builder() override { return builder_; }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  DeviceApi& devices() override { return devices_; }
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override {
    return builder_.standalone(request, built);
  }

 private:
  CpuWrapper wrapper_;
  CpuBuilder builder_;
  CpuDevices devices_;
};

}  // namespace kmux::cpu
