#pragma once

#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "nvidia/device.h"
#include "wrapper.h"

namespace kmux::cutedsl {

/// Python of CuTe DSL, launched by generated C++.
class CuteDslBackend final : public BackendOf<CuteDslWrapper, CuteDslBuilder, nvidia::Devices> {
 public:
  static const PluginInfo kInfo;
  using BackendOf::BackendOf;

  Result<ProbeReport> probe() override;
  /// Returns the target as nvidia::resolve_cuda_target does. TileLang's name "cutedsl" for these targets means "cuda".
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;
};

/// Returns the parts of the request that the backend lacks: its dialect, a feature, a kernel's element type, or a
/// feature of the target's architecture. Reads the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request);

}  // namespace kmux::cutedsl
