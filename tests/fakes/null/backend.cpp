#include "backend.h"

#include <algorithm>
#include <span>

#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/support.h"
#include "kmux/plugin/word_list.h"

#include "adapter.h"

namespace kmux::null {
namespace {

std::vector<std::string> texts(std::span<const std::string_view> words) { return {words.begin(), words.end()}; }

}  // namespace

Result<std::unique_ptr<Backend>> NullBackend::create(Host host) {
  host.log(Host::Level::kDebug, "created");
  return std::unique_ptr<Backend>(std::make_unique<NullBackend>(
      Traits{manifest::kName, texts(manifest::kTargets), texts(manifest::kDialects), texts(manifest::kFeatures)}));
}

// A real backend searches for its toolchain and its driver here, without creating a context.
Result<ProbeReport> NullBackend::probe() { return ProbeReport{}; }

Result<Target> NullBackend::resolve_target(std::string_view request, std::optional<int> device) {
  if (device) KMUX_TRY(check_device(*device));
  if (request.empty() || request == "auto") return Target{traits_.targets.front()};
  KMUX_ASSIGN(Target target, parse_target(request));
  if (std::ranges::find(traits_.targets, target.kind) != traits_.targets.end()) return target;
  return make_error(ErrorCode::kInvalidArgument, "target \"" + to_string(target) + "\" is not one of backend " +
                                                     traits_.name + " (it supports auto, " + join(traits_.targets) +
                                                     ")." + did_you_mean(target.kind, traits_.targets));
}

// A real backend checks here whether the architecture of the target has the features that a variant requires.
Result<std::vector<MissingFeature>> NullBackend::supports(const BuildRequest& request) {
  const auto has_all = [](const std::string&) { return true; };
  return missing_of({traits_.name, traits_.dialects, traits_.features, has_all, has_all}, request);
}

Result<std::unique_ptr<Adapter>> NullBackend::load(const Artifact& artifact, int device) {
  KMUX_TRY(check_device(device));
  return load_artifact(artifact);
}

}  // namespace kmux::null
