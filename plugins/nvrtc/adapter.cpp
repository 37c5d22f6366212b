#include "adapter.h"

#include <utility>

#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plan.h"

#include "meta.h"
#include "nvidia/device.h"

namespace kmux::nvrtc {
namespace {

Error incomplete(const std::string& part) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact has no part \"" + part + "\" (backend nvrtc did not make it whole). Build it again.");
}

Result<const std::string*> part_of(const Artifact& artifact, const char* name) {
  const std::string* part = artifact.find(name);
  if (!part) return incomplete(name);
  return part;
}

bool is_empty(const SingleLaunch& single) {
  const unsigned* const grid = single.launch.grid;
  return grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
}

std::vector<nvidia::MapArgument> maps_of(const PlanRunner& runner) {
  std::vector<nvidia::MapArgument> maps;
  if (!runner.is_single()) return maps;
  for (const SingleMap& map : runner.single_maps()) maps.push_back({map.map, map.slot, map.argument});
  return maps;
}

}  // namespace

NvrtcAdapter::NvrtcAdapter(Host host, std::string code, nvidia::Facts facts, PlanRunner runner)
    : host_(host),
      code_(std::move(code)),
      facts_(std::move(facts)),
      runner_(std::move(runner)),
      maps_(maps_of(runner_)),
      launcher_(code_.c_str(), facts_.view(), nvidia::log_to(host_)) {}

Status NvrtcAdapter::prepare(int device) {
  FailureText failure;
  return failure.status(launcher_.prepare(device, failure.sink()));
}

[[gnu::hot]] kmux_code NvrtcAdapter::launch(const kmux_slot* slots, const kmux_launch_env& env,
                                            kmux_sink error) noexcept {
  const auto body = [&](const kmux_driver_env& driver_env, kmux_sink sink) {
    return runner_.launch(slots, driver_env, sink);
  };
  return static_cast<kmux_code>(launcher_.call(env, error, body));
}

LaunchEntry NvrtcAdapter::entry() noexcept {
  if (!runner_.is_single()) return Adapter::entry();
  return {{maps_.empty() ? launch_single : launch_mapped, this}};
}

[[gnu::hot]] kmux_code NvrtcAdapter::launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env,
                                                   kmux_sink error) {
  auto& adapter = *static_cast<NvrtcAdapter*>(self);
  SingleLaunch single;  // not initialised: `evaluate` fills what is read
  if (!adapter.runner_.evaluate(slots, single)) [[unlikely]] {
    return adapter.launch(slots, *env, error);
  }
  return is_empty(single) ? KMUX_OK : adapter.launcher_.launch(*env, single.launch, error);
}

[[gnu::hot]] kmux_code NvrtcAdapter::launch_mapped(void* self, const kmux_slot* slots, const kmux_launch_env* env,
                                                   kmux_sink error) {
  auto& adapter = *static_cast<NvrtcAdapter*>(self);
  SingleLaunch single;
  if (adapter.runner_.evaluate(slots, single)) [[likely]] {
    const nvidia::StateLease lease(adapter.launcher_.states(), env->lane);
    const auto count = static_cast<unsigned>(adapter.maps_.size());
    if (nvidia::place_kept_maps(lease.get(), adapter.maps_.data(), count, slots, single.args.data())) [[likely]] {
      return is_empty(single) ? KMUX_OK : adapter.launcher_.launch(*env, single.launch, error);
    }
  }
  return adapter.launch(slots, *env, error);  // makes the maps, and keeps them
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host) {
  KMUX_ASSIGN(const std::string* const code, part_of(artifact, kCodePart));
  KMUX_ASSIGN(const std::string* const plan_text, part_of(artifact, kPlanPart));
  KMUX_ASSIGN(const std::string* const meta_text, part_of(artifact, kMetaPart));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  KMUX_ASSIGN(const Plan plan, read_plan(*plan_text));
  KMUX_ASSIGN(std::vector<std::string> symbols, symbols_of(plan.kernels, meta));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(plan));
  nvidia::Facts facts(plan, std::move(symbols), {meta.graph, nvidia::shows_ranges(host)});
  return std::unique_ptr<Adapter>(std::make_unique<NvrtcAdapter>(host, *code, std::move(facts), std::move(runner)));
}

}  // namespace kmux::nvrtc
