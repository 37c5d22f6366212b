#include "backend.h"

#include <unistd.h>

#include "kmux/plugin/support.h"

#include "adapter.h"
#include "engine/compiler.h"
#include "target.h"

namespace kmux::cpu {

const PluginInfo CpuBackend::kInfo{"cpu", KMUX_PLUGIN_VERSION, kDLCPU};

const std::vector<std::string>& CpuBackend::features() {
  static const std::vector<std::string> features = {"fill", "guard", "loop", "several_launches", "workspace"};
  return features;
}

// Clang's headers are not asked for: a source without #include needs none.
Result<ProbeReport> CpuBackend::probe() {
  ProbeReport report;
  for (const std::string& library : compiler_libraries()) {
    if (access(library.c_str(), R_OK) == 0) continue;
    report.can_build = {"no_toolchain", "\"" + library + "\" is not there. Install kmux again."};
  }
  return report;
}

Result<Target> CpuBackend::resolve_target(std::string_view request, std::optional<int> device) {
  if (device) KMUX_TRY(check_device(*device));
  return resolve_cpu_target(request);
}

Result<std::vector<MissingFeature>> CpuBackend::supports(const BuildRequest& request) {
  const Target& target = request.target;
  return missing_of({.backend = "cpu",
                     .dialects = {"c", "object"},
                     .features = features(),
                     .has_arch = [&](const std::string& arch) { return satisfies(target, arch); },
                     .has_feature = [&](const std::string& feature) { return has_feature(target, feature); }},
                    request);
}

Result<std::unique_ptr<Adapter>> CpuBackend::load(const Artifact& artifact, int device) {
  KMUX_TRY(check_device(device));
  return load_artifact(artifact);
}

}  // namespace kmux::cpu
