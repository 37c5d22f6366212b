#pragma once

#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "device.h"
#include "wrapper.h"

namespace kmux::hip {

/// HIP C++ on AMD's devices.
///
/// Threads: any, as Backend.
class HipBackend final : public BackendOf<HipWrapper, HipBuilder, HipDevices> {
 public:
  static const PluginInfo kInfo;
  using BackendOf::BackendOf;

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;
};

}  // namespace kmux::hip
