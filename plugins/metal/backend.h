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
#include "wrapper.h"

namespace kmux::metal {

/// Returns the canonical target: "metal". TVM's attributes of targets of that kind are accepted and ignored.
///
/// Errors: invalid_argument for another kind, an architecture or an unknown attribute.
///
/// Threads: any.
Result<Target> resolve_metal_target(std::string_view request);

/// Returns the parts that the variant requires or uses and Metal lacks: a dialect, a feature, an element type. Reads
/// the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request);

/// Metal on Apple's devices. On other systems it builds artifacts, and reports why it cannot run them.
class MetalBackend final : public BackendOf<MetalWrapper, MetalBuilder, MetalDevices> {
 public:
  static const PluginInfo kInfo;
  static Result<std::unique_ptr<Backend>> create(Host host);
  explicit MetalBackend(Host host) : BackendOf(host, [this] { return gpu(); }) {}

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override;

 private:
  Result<std::shared_ptr<Gpu>> gpu();

  std::mutex mutex_;
  std::shared_ptr<Gpu> gpu_;
};

}  // namespace kmux::metal
