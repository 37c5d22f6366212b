#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "device.h"
#include "opencl/manifest.h"
#include "wrapper.h"

namespace kmux::opencl {

/// OpenCL on the devices of every driver that is installed.
class OpenClBackend final : public BackendOf<OpenClWrapper, OpenClBuilder, OpenClDevices> {
 public:
  static constexpr PluginInfo kInfo{manifest::kName, manifest::kVersion, manifest::kDeviceType};
  static Result<std::unique_ptr<Backend>> create(Host host);
  explicit OpenClBackend(Host host) : BackendOf(host, [this] { return machine(); }) {}

  Result<ProbeReport> probe() override;
  /// "opencl:NAME", NAME being the word of a device's name. "opencl:1" is device 1.
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;

 private:
  Result<std::shared_ptr<Machine>> machine();

  std::mutex mutex_;
  std::shared_ptr<Machine> machine_;
};

}  // namespace kmux::opencl
