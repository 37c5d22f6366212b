#include "adapter.h"

#include <utility>

#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"

#include "meta.h"
#include "nvidia/device.h"

namespace kmux::nvrtc {
namespace {

std::vector<nvidia::MapArgument> maps_of(const PlanRunner& runner) {
  std::vector<nvidia::MapArgument> maps;
  if (!runner.is_single()) return maps;
  for (const SingleMap& map : runner.single_maps()) maps.push_back({map.map, map.slot, map.argument});
  return maps;
}

}  // namespace

NvrtcAdapter::NvrtcAdapter(LoadedKernel kernel, PlanRunner runner)
    : PlanAdapter(std::move(kernel), std::move(runner),
                  [](const LoadedKernel& loaded) {
                    return nvidia::Launcher(loaded.code.c_str(), loaded.facts.view(), nvidia::log_to(loaded.host));
                  }),
      maps_(maps_of(this->runner())) {}

Result<ConstantPlace> NvrtcAdapter::constant(int device, std::string_view name) {
  KMUX_ASSIGN(const ConstantSymbol* const constant, symbol_of(loaded().constants, name));
  ConstantPlace place;
  FailureText failure;
  KMUX_TRY(failure.status(
      launcher().find_variable(device, constant->symbol.c_str(), &place.address, &place.bytes, failure.sink())));
  return place;
}

LaunchEntry NvrtcAdapter::entry() noexcept {
  if (maps_.empty()) return PlanAdapter::entry();
  return {{launch_mapped, this}};
}

[[gnu::hot]] kmux_code NvrtcAdapter::launch_mapped(void* self, const kmux_slot* slots, const kmux_launch_env* env,
                                                   kmux_sink error) {
  auto& adapter = *static_cast<NvrtcAdapter*>(self);
  SingleLaunch single;
  if (adapter.runner().evaluate(slots, single)) [[likely]] {
    const nvidia::StateLease lease(adapter.launcher().states(), env->lane);
    const auto count = static_cast<unsigned>(adapter.maps_.size());
    if (nvidia::place_kept_maps(lease.get(), adapter.maps_.data(), count, slots, single.args.data())) [[likely]] {
      if (is_empty(single.launch)) return KMUX_OK;
      return static_cast<kmux_code>(adapter.launcher().launch(*env, single.launch, error));
    }
  }
  return adapter.launch(slots, *env, error);  // encodes the maps, and keeps them
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host) {
  KMUX_ASSIGN(const std::string* const code, required_part(artifact, kCodePart, "nvrtc"));
  KMUX_ASSIGN(const std::string* const plan_text, required_part(artifact, kPlanPart, "nvrtc"));
  KMUX_ASSIGN(const std::string* const meta_text, required_part(artifact, kMetaPart, "nvrtc"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  KMUX_ASSIGN(const Plan plan, read_plan(*plan_text));
  KMUX_ASSIGN(std::vector<std::string> symbols, symbols_of(plan.kernels, meta));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(plan));
  nvidia::Facts facts(plan, std::move(symbols),
                      {meta.graph, nvidia::shows_ranges(host), nvidia::blocks_launches(host), meta.shared_carveout});
  KMUX_ASSIGN(std::vector<ConstantSymbol> constants, constants_of(artifact, "nvrtc"));
  LoadedKernel kernel{host, *code, std::move(facts), std::move(constants)};
  return std::unique_ptr<Adapter>(std::make_unique<NvrtcAdapter>(std::move(kernel), std::move(runner)));
}

}  // namespace kmux::nvrtc
