#include "backend.h"

#include <algorithm>

#include "kmux/plugin/support.h"

#include "adapter.h"
#include "compiler_choice.h"
#include "device.h"
#include "wrapper.h"

namespace kmux::hip {
namespace {

// Tensor maps, clusters, L2 windows and programmatic serialization are NVIDIA's; packed values are Metal's.
const auto& kFeatures =
    *new const std::vector<std::string>{"constants", "cooperative",      "dynamic_smem",    "fill",     "grid", "guard",
                                        "loop",      "several_launches", "struct_argument", "workspace"};

}  // namespace

const PluginInfo HipBackend::kInfo{"hip", KMUX_PLUGIN_VERSION, kDLROCM};

Result<ProbeReport> HipBackend::probe() {
  ProbeReport report;
  if (const auto choice = choose_compiler(host_, Engine::kAuto, "gfx90a"); !choice) {
    report.can_build = {"no_toolchain", choice.error().message};
  }
  report.can_run = probe_runtime(host_);
  return report;
}

Result<Target> HipBackend::resolve_target(std::string_view request, std::optional<int> device) {
  return resolve_hip_target(request, [&]() -> Result<std::string> {
    KMUX_ASSIGN(const HipTable* const hip, opened_hip(host_));
    if (const Availability runs = probe_runtime(host_); !runs.ok())
      return make_error(ErrorCode::kUnavailable, runs.reason);
    return device_arch(*hip, device.value_or(0));
  });
}

Result<std::vector<MissingFeature>> HipBackend::supports(const BuildRequest& request) {
  const auto has_arch = [&](const std::string& arch) { return parse_arch(arch) == request.target.arch; };
  return missing_of({kInfo.name, {"hip", "cuda", "hsaco"}, kFeatures, has_arch}, request);
}

Result<std::unique_ptr<Adapter>> HipBackend::load(const Artifact& artifact, int) {
  return load_artifact(artifact, host_);
}

Result<Artifact> HipBackend::standalone(const BuildRequest&, const Artifact& built) { return standalone_of(built); }

}  // namespace kmux::hip

KMUX_PLUGIN(kmux::hip::HipBackend)
