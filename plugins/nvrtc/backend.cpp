#include "backend.h"

#include <algorithm>

#include "adapter.h"
#include "nvidia/device_facts.h"
#include "nvidia/probe.h"
#include "nvidia/requirements.h"
#include "nvidia/target.h"
#include "places.h"

namespace kmux::nvrtc {

const PluginInfo NvrtcBackend::kInfo{"nvrtc", KMUX_PLUGIN_VERSION, kDLCUDA};

Result<std::unique_ptr<Backend>> NvrtcBackend::create(Host host) {
  return std::unique_ptr<Backend>(std::make_unique<NvrtcBackend>(host));
}

const std::vector<std::string>& NvrtcBackend::features() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> all(known_features().begin(), known_features().end());
    std::erase(all, "packed_values");  // Metal's
    return all;
  }();
  return features;
}

Result<ProbeReport> NvrtcBackend::probe() {
  ProbeReport report;
  if (const auto library = find_library(host_); !library) report.can_build = {"no_toolchain", library.error().message};
  report.can_run = nvidia::probe_driver();
  return report;
}

Result<Target> NvrtcBackend::resolve_target(std::string_view request, std::optional<int> device) {
  return nvidia::resolve_cuda_target(request, "nvrtc", [&] { return nvidia::device_arch(device.value_or(0)); });
}

Result<std::vector<MissingFeature>> NvrtcBackend::supports(const BuildRequest& request) {
  auto missing = missing_features(request.program, request.variant, features(), "nvrtc");
  const std::string& dialect = request.chosen().dialect;
  if (dialect != "cuda" && dialect != "cubin" && dialect != "ptx") {
    missing.push_back({"dialect", "/variants/" + std::to_string(request.variant) + "/dialect",
                       "backend nvrtc takes dialects cuda, cubin and ptx, not \"" + dialect + "\""});
  }
  const auto requirements = nvidia::missing_requirements(request);
  missing.insert(missing.end(), requirements.begin(), requirements.end());
  return missing;
}

Result<std::unique_ptr<Adapter>> NvrtcBackend::load(const Artifact& artifact, int) {
  return load_artifact(artifact, host_);
}

}  // namespace kmux::nvrtc
