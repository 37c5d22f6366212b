#include "backend.h"

#include <algorithm>

#include "kmux/nearest.h"

#include "adapter.h"

namespace kmux::null {
namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Result<std::unique_ptr<Backend>> NullBackend::create(Host host) {
  host.log(Host::Level::kDebug, "created");
  return std::unique_ptr<Backend>(std::make_unique<NullBackend>(
      Traits{"null",
             {"null"},
             {"c", "cuda"},
             {"dynamic_smem", "fill", "grid", "guard", "loop", "several_launches", "workspace"}}));
}

// A real backend looks for its toolchain and its driver here, without creating a context.
Result<ProbeReport> NullBackend::probe() { return ProbeReport{}; }

Result<Target> NullBackend::resolve_target(std::string_view request, std::optional<int> device) {
  if (device) KMUX_TRY(check_device(*device));
  if (request.empty() || request == "auto") return Target{traits_.targets.front()};
  KMUX_ASSIGN(Target target, parse_target(request));
  if (contains(traits_.targets, target.kind)) return target;
  return make_error(ErrorCode::kInvalidArgument, "target \"" + to_string(target) + "\" is not one of backend " +
                                                     traits_.name + " (it knows auto, " + listed(traits_.targets) +
                                                     ")." + did_you_mean(target.kind, traits_.targets));
}

Result<std::vector<MissingFeature>> NullBackend::supports(const BuildRequest& request) {
  auto missing = missing_features(request.program, request.variant, traits_.features, traits_.name);
  if (!contains(traits_.dialects, request.chosen().dialect)) {
    missing.push_back({"dialect", "/variants/" + std::to_string(request.variant) + "/dialect",
                       "backend " + traits_.name + " takes the dialects " + listed(traits_.dialects)});
  }
  return missing;
}

Result<std::unique_ptr<Adapter>> NullBackend::load(const Artifact& artifact, int device) {
  KMUX_TRY(check_device(device));
  return load_artifact(artifact);
}

}  // namespace kmux::null
