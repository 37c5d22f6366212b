#include "backend.h"

#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"

#include "adapter.h"
#include "meta.h"
#include "nvidia/library/launcher_text.h"
#include "nvidia/target.h"
#include "places.h"

namespace kmux::nvrtc {

const PluginInfo NvrtcBackend::kInfo{"nvrtc", KMUX_PLUGIN_VERSION, kDLCUDA};

Result<ProbeReport> NvrtcBackend::probe() {
  const auto library = find_library(host_);
  return ProbeReport{library ? Availability{} : nvidia::no_toolchain(library.error()), nvidia::probe_driver()};
}

Result<Target> NvrtcBackend::resolve_target(std::string_view request, std::optional<int> device) {
  const auto release = [&]() -> std::optional<nvidia::Release> {
    const auto library = find_library(host_);
    return library ? release_of(*library) : std::nullopt;
  };
  return nvidia::resolve_cuda_target(
      request, kInfo.name, [&] { return nvidia::device_arch(device.value_or(0)); }, release);
}

Result<std::vector<MissingFeature>> NvrtcBackend::supports(const BuildRequest& request) {
  return nvidia::missing_support(request, kInfo.name);
}

Result<std::unique_ptr<Adapter>> NvrtcBackend::load(const Artifact& artifact, int) {
  return load_artifact(artifact, host_);
}

Result<Artifact> NvrtcBackend::standalone(const BuildRequest& request, const Artifact& built) {
  KMUX_ASSIGN(const std::string* const code, required_part(built, kCodePart, "nvrtc"));
  KMUX_ASSIGN(const std::string* const text, required_part(built, kMetaPart, "nvrtc"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*text));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_ASSIGN(const auto symbols, symbols_of(plan.kernels, meta));
  const std::string launcher =
      nvidia::launcher_text(plan, {.graph = meta.graph, .shared_carveout = meta.shared_carveout});
  return nvidia::standalone_parts(plan, launcher, *code, symbols);
}

}  // namespace kmux::nvrtc

KMUX_PLUGIN(kmux::nvrtc::NvrtcBackend)
