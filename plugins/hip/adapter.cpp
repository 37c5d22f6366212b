#include "adapter.h"

#include <utility>

#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plan.h"

#include "device.h"

namespace kmux::hip {
namespace {

bool is_empty(const kmux_driver_launch& launch) {
  return launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
}

}  // namespace

HipAdapter::HipAdapter(Host host, std::string code, Facts facts, PlanRunner runner)
    : host_(host),
      code_(std::move(code)),
      facts_(std::move(facts)),
      runner_(std::move(runner)),
      launcher_(code_.data(), facts_.view(), named_library(host_), log()) {}

Log HipAdapter::log() {
  return {this, [](void* self, int level, const char* text, std::size_t size) {
            static_cast<HipAdapter*>(self)->host_.log(static_cast<Host::Level>(level), std::string_view(text, size));
          }};
}

Status HipAdapter::prepare(int device) {
  FailureText failure;
  return failure.status(launcher_.prepare(device, failure.sink()));
}

[[gnu::hot]] kmux_code HipAdapter::launch(const kmux_slot* slots, const kmux_launch_env& env,
                                          kmux_sink error) noexcept {
  const auto body = [&](const kmux_driver_env& driver_env, kmux_sink sink) {
    return runner_.launch(slots, driver_env, sink);
  };
  return static_cast<kmux_code>(launcher_.call(env, error, body));
}

LaunchEntry HipAdapter::entry() noexcept {
  if (!runner_.is_single()) return Adapter::entry();
  return {{launch_single, this}};
}

[[gnu::hot]] kmux_code HipAdapter::launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env,
                                                 kmux_sink error) {
  auto& adapter = *static_cast<HipAdapter*>(self);
  SingleLaunch single;  // not initialised: `evaluate` fills what is read
  if (!adapter.runner_.evaluate(slots, single)) [[unlikely]] {
    return adapter.launch(slots, *env, error);
  }
  return is_empty(single.launch) ? KMUX_OK : adapter.launcher_.launch(*env, single.launch, error);
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host) {
  KMUX_ASSIGN(LoadedParts parts, read_parts(artifact));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(parts.plan));
  Facts facts(parts.plan, std::move(parts.kernels));
  return std::unique_ptr<Adapter>(
      std::make_unique<HipAdapter>(host, std::move(parts.code), std::move(facts), std::move(runner)));
}

namespace {

Error incomplete(const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact has no " + what + " (backend hip did not make it whole). Build it again.");
}

Result<const std::string*> part_of(const Artifact& artifact, const char* name) {
  const std::string* part = artifact.find(name);
  if (!part) return incomplete("part \"" + std::string(name) + "\"");
  return part;
}

Result<std::vector<KernelMeta>> kernels_of(const Plan& plan, const Meta& meta) {
  std::vector<KernelMeta> kernels;
  for (const std::string& name : plan.kernels) {
    const auto found = meta.kernels.find(name);
    if (found == meta.kernels.end()) return incomplete("symbol of kernel \"" + name + "\"");
    kernels.push_back(found->second);
  }
  return kernels;
}

}  // namespace

Result<LoadedParts> read_parts(const Artifact& artifact) {
  KMUX_ASSIGN(const std::string* const code, part_of(artifact, kCodePart));
  KMUX_ASSIGN(const std::string* const plan_text, part_of(artifact, kPlanPart));
  KMUX_ASSIGN(const std::string* const meta_text, part_of(artifact, kMetaPart));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  LoadedParts parts{*code, {}, {}};
  KMUX_ASSIGN(parts.plan, read_plan(*plan_text));
  KMUX_ASSIGN(parts.kernels, kernels_of(parts.plan, meta));
  return parts;
}

}  // namespace kmux::hip
