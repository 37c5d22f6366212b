#pragma once

#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "device.h"
#include "pool_use.h"
#include "wrapper.h"

namespace kmux::cpu {

/// C and C++ functions on this machine's processor.
class CpuBackend final : public BackendOf<CpuWrapper, CpuBuilder, CpuDevices> {
 public:
  static const PluginInfo kInfo;
  using BackendOf::BackendOf;
  /// Errors: invalid_argument for a value that option "cpu.threads" does not take.
  static Result<std::unique_ptr<Backend>> create(Host host);

  /// What a variant may use; the manifest says the same.
  static const std::vector<std::string>& features();

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override {
    return builder_.standalone(request, built);
  }

 private:
  PoolUse pool_use_;
};

}  // namespace kmux::cpu
