#pragma once

#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "nvidia/device.h"
#include "wrapper.h"

namespace kmux::nvrtc {

/// CUDA C++ on NVIDIA's devices, compiled with NVRTC.
///
/// Threads: any, as Backend.
class NvrtcBackend final : public BackendOf<NvrtcWrapper, NvrtcBuilder, nvidia::Devices> {
 public:
  static const PluginInfo kInfo;
  using BackendOf::BackendOf;

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;
};

}  // namespace kmux::nvrtc
