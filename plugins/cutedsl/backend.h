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
  /// As nvidia::resolve_cuda_target; "cutedsl" is what TileLang calls these targets, and means "cuda".
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;
};

/// All that the backend lacks for the request: its dialect, a feature, an element type that a kernel takes, or what the
/// target's architecture does not have. Looks at the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request);

}  // namespace kmux::cutedsl
