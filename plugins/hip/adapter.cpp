#include "adapter.h"

#include <utility>

#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/switch_word.h"

#include "device.h"

namespace kmux::hip {
namespace {

Log log_to(const Host& host) {
  return {const_cast<Host*>(&host), [](void* self, int level, const char* text, std::size_t size) {
            static_cast<const Host*>(self)->log(static_cast<Host::Level>(level), std::string_view(text, size));
          }};
}

// Returns true if calls and launches are shown to profilers (host option "hip.roctx").
bool shows_ranges(const Host& host) {
  const auto value = host.option("hip.roctx");
  return value && is_on(*value);
}

}  // namespace

HipAdapter::HipAdapter(LoadedKernel kernel, PlanRunner runner)
    : PlanAdapter(std::move(kernel), std::move(runner), [](const LoadedKernel& loaded) {
        return Launcher(loaded.code.data(), loaded.facts.view(), places_of(loaded.host), log_to(loaded.host));
      }) {}

Result<ConstantPlace> HipAdapter::constant(int device, std::string_view name) {
  KMUX_ASSIGN(const ConstantSymbol* const constant, symbol_of(loaded().constants, name));
  ConstantPlace place;
  FailureText failure;
  KMUX_TRY(failure.status(
      launcher().find_variable(device, constant->symbol.c_str(), &place.address, &place.bytes, failure.sink())));
  return place;
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host) {
  KMUX_ASSIGN(LoadedParts parts, read_parts(artifact));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(parts.plan));
  KMUX_ASSIGN(std::vector<ConstantSymbol> constants, constants_of(artifact, "hip"));
  const LaunchChoices choices{parts.graph, shows_ranges(host)};
  LoadedKernel kernel{host, std::move(parts.code), Facts(parts.plan, std::move(parts.kernels), choices),
                      std::move(constants)};
  return std::unique_ptr<Adapter>(std::make_unique<HipAdapter>(std::move(kernel), std::move(runner)));
}

namespace {

Result<std::vector<KernelMeta>> kernels_of(const Plan& plan, const Meta& meta) {
  std::vector<KernelMeta> kernels;
  for (const std::string& name : plan.kernels) {
    const auto found = meta.kernels.find(name);
    if (found == meta.kernels.end()) return incomplete_artifact("symbol of kernel \"" + name + "\"", "hip");
    kernels.push_back(found->second);
  }
  return kernels;
}

}  // namespace

Result<LoadedParts> read_parts(const Artifact& artifact) {
  KMUX_ASSIGN(const std::string* const code, required_part(artifact, kCodePart, "hip"));
  KMUX_ASSIGN(const std::string* const plan_text, required_part(artifact, kPlanPart, "hip"));
  KMUX_ASSIGN(const std::string* const meta_text, required_part(artifact, kMetaPart, "hip"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  LoadedParts parts{*code, {}, {}, meta.graph};
  KMUX_ASSIGN(parts.plan, read_plan(*plan_text));
  KMUX_ASSIGN(parts.kernels, kernels_of(parts.plan, meta));
  return parts;
}

}  // namespace kmux::hip
