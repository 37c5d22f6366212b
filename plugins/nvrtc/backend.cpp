#include "backend.h"

#include "adapter.h"
#include "nvidia/device_facts.h"
#include "nvidia/probe.h"
#include "nvidia/support.h"
#include "nvidia/target.h"
#include "places.h"

namespace kmux::nvrtc {

const PluginInfo NvrtcBackend::kInfo{"nvrtc", KMUX_PLUGIN_VERSION, kDLCUDA};

Result<std::unique_ptr<Backend>> NvrtcBackend::create(Host host) {
  return std::unique_ptr<Backend>(std::make_unique<NvrtcBackend>(host));
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
  return nvidia::missing_support(request, kInfo.name);
}

Result<std::unique_ptr<Adapter>> NvrtcBackend::load(const Artifact& artifact, int) {
  return load_artifact(artifact, host_);
}

}  // namespace kmux::nvrtc
