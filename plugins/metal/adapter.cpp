#include "adapter.h"

#include <string>
#include <utility>

#include "kmux/plugin/plan.h"

#include "meta.h"

namespace kmux::metal {
namespace {

Result<const std::string*> part_of(const Artifact& artifact, const char* name) {
  const std::string* const part = artifact.find(name);
  if (part != nullptr) return part;
  return make_error(ErrorCode::kInvalidArgument, "the artifact has no part \"" + std::string(name) +
                                                     "\" (another backend made it, or it is damaged). Build it again.");
}

Status check_workspaces(const Plan& plan) {
  if (plan.workspaces.size() <= Call::kMostWorkspaces) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "program \"" + plan.name + "\" has " +
                                                     std::to_string(plan.workspaces.size()) +
                                                     " workspaces (backend metal keeps at most " +
                                                     std::to_string(Call::kMostWorkspaces) + "). Divide one instead.");
}

kmux_code fail_device(int device, kmux_sink error) {
  const std::string text = check_device(device).error().message;
  error.write(error.self, text.data(), text.size());
  return KMUX_INVALID_ARGUMENT;
}

bool is_empty(const kmux_driver_launch& launch) {
  return launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
}

}  // namespace

[[gnu::hot]] kmux_code MetalAdapter::launch(const kmux_slot* slots, const kmux_launch_env& env,
                                            kmux_sink error) noexcept {
  if (env.device != 0) [[unlikely]] {
    return fail_device(env.device, error);
  }
  Call call(*gpu_, program_, env);
  return call.finish(runner_.launch(slots, call.env(), error));
}

LaunchEntry MetalAdapter::entry() noexcept {
  if (!runner_.is_single()) return Adapter::entry();
  return {{launch_single, this}};
}

[[gnu::hot]] kmux_code MetalAdapter::launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env,
                                                   kmux_sink error) {
  auto& adapter = *static_cast<MetalAdapter*>(self);
  SingleLaunch single;  // not initialised: `evaluate` fills what is read
  if (env->device != 0 || !adapter.runner_.evaluate(slots, single)) [[unlikely]] {
    return adapter.launch(slots, *env, error);
  }
  if (is_empty(single.launch)) return KMUX_OK;
  Call call(*adapter.gpu_, adapter.program_, *env);
  return call.finish(call.launch(single.launch, error));
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, std::shared_ptr<Gpu> gpu) {
  KMUX_ASSIGN(const std::string* const code, part_of(artifact, kCodePart));
  KMUX_ASSIGN(const std::string* const plan_text, part_of(artifact, kPlanPart));
  KMUX_ASSIGN(const std::string* const meta_text, part_of(artifact, kMetaPart));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  KMUX_ASSIGN(const Plan plan, read_plan(*plan_text));
  KMUX_TRY(check_workspaces(plan));
  Launchable program;
  KMUX_ASSIGN(program.launches, bindings_of(plan));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(plan));
  KMUX_ASSIGN(program.kernels, load_kernels(*gpu, {*code, meta.is_library, meta.options}, plan.kernels));
  return std::unique_ptr<Adapter>(
      std::make_unique<MetalAdapter>(std::move(gpu), std::move(program), std::move(runner)));
}

}  // namespace kmux::metal
