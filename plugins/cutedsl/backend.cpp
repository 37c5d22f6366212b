#include "backend.h"

#include <algorithm>
#include <map>

#include "kmux/plugin/features.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/support.h"

#include "builder.h"
#include "entries.h"
#include "nvidia/device.h"
#include "nvidia/library/adapter.h"
#include "nvidia/library/launcher_text.h"
#include "nvidia/target.h"
#include "options.h"
#include "python_server.h"

namespace kmux::cutedsl {
namespace {

// Reports a usable toolchain if an identity is kept: cached artifacts need no toolchain, and `build` reports a missing
// one.
Availability probe_toolchain(const Host& host) {
  if (has_kept_toolchain(host)) return {};
  if (const auto python = find_python(host); !python) return nvidia::no_toolchain(python.error());
  const auto options = parse_options({}, host);
  if (!options) return nvidia::no_toolchain(options.error());
  const auto compiler = find_host_compiler(options->host_compiler, "backend cutedsl");
  return compiler ? Availability{} : nvidia::no_toolchain(compiler.error());
}

// Returns the CUDA target for TileLang's "cutedsl", or "cuda" with key "cutedsl".
Target without_dsl(Target target) {
  if (target.kind == "cutedsl") target.kind = "cuda";
  const auto keys = target.attributes.find("keys");
  if (keys != target.attributes.end() && keys->second.find("cutedsl") != std::string::npos) {
    target.attributes.erase(keys);
  }
  return target;
}

}  // namespace

const PluginInfo CuteDslBackend::kInfo{"cutedsl", KMUX_PLUGIN_VERSION, kDLCUDA};

Result<ProbeReport> CuteDslBackend::probe() { return ProbeReport{probe_toolchain(host_), nvidia::probe_driver()}; }

Result<Target> CuteDslBackend::resolve_target(std::string_view request, std::optional<int> device) {
  const nvidia::DeviceArch arch = [&] { return nvidia::device_arch(device.value_or(0)); };
  if (request.empty() || request == "auto") return nvidia::resolve_cuda_target(request, kInfo.name, arch);
  KMUX_ASSIGN(Target target, parse_target(request));
  return nvidia::resolve_cuda_target(to_string(without_dsl(std::move(target))), kInfo.name, arch);
}

Result<std::vector<MissingFeature>> CuteDslBackend::supports(const BuildRequest& request) {
  return missing_support(request);
}

Result<std::unique_ptr<Adapter>> CuteDslBackend::load(const Artifact& artifact, int) {
  return nvidia::LibraryAdapter::load(artifact, host_, kInfo.name);
}

Result<Artifact> CuteDslBackend::standalone(const BuildRequest& request, const Artifact& built) {
  KMUX_ASSIGN(const Entries entries, make_entries(request.program, request.variant));
  Artifact whole = built;
  KMUX_ASSIGN(std::string launcher, wrapper_.wrap(request));
  whole.set(nvidia::kLauncherPart, std::move(launcher));
  KMUX_ASSIGN(Artifact parts, nvidia::standalone_parts(entries.plan, whole, kInfo.name));
  for (const char* name : {nvidia::kMoreKernelsFile, kHostObject}) {
    if (const std::string* const part = built.find(name)) parts.set(name, *part);
  }
  return parts;
}

std::vector<MissingFeature> missing_support(const BuildRequest& request) {
  auto missing = nvidia::missing_support(request, "cutedsl", {"cutedsl"});
  const std::map<std::string_view, std::string_view> lacks = {
      {"constants", "backend cutedsl has no variables of the module"},
      {"struct_argument", "backend cutedsl has no structures (CuTe DSL takes tensors and numbers)"}};
  for (const UsedFeature& used : features_used(request.program, request.variant)) {
    if (const auto why = lacks.find(used.name); why != lacks.end())
      missing.push_back({used.name, used.path, std::string(why->second)});
  }
  const auto refuses = [](const MissingFeature& one) { return one.feature != kBetterFit; };
  if (std::ranges::any_of(missing, refuses)) return missing;
  const auto entries = make_entries(request.program, request.variant);
  if (!entries && entries.error().code == ErrorCode::kUnsupported) {
    missing.push_back({"dtype", path_in_variant(request, "body/steps"), entries.error().message});
  }
  return missing;
}

}  // namespace kmux::cutedsl

KMUX_PLUGIN(kmux::cutedsl::CuteDslBackend)
