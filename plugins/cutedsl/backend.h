#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "nvidia/devices.h"
#include "wrapper.h"

namespace kmux::cutedsl {

/// Python of CuTe DSL, launched by generated C++.
class CuteDslBackend final : public Backend {
 public:
  static const PluginInfo kInfo;
  static Result<std::unique_ptr<Backend>> create(Host host);
  explicit CuteDslBackend(Host host) : host_(host), wrapper_(host), builder_(host), devices_(host) {}

  Result<ProbeReport> probe() override;
  /// As nvidia::resolve_cuda_target; "cutedsl" is what TileLang calls these targets, and means "cuda".
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Wrapper& wrapper() override { return wrapper_; }
  Builder& builder() override { return builder_; }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  DeviceApi& devices() override { return devices_; }
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;

 private:
  Host host_;
  CuteDslWrapper wrapper_;
  CuteDslBuilder builder_;
  nvidia::Devices devices_;
};

/// All that the backend lacks for the request: its dialect, a feature, an element type that a kernel takes, or what the
/// target's architecture does not have. Looks at the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request);

}  // namespace kmux::cutedsl
