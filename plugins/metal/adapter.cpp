#include "adapter.h"

#include <string>
#include <utility>

#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/sink.h"

#include "meta.h"

namespace kmux::metal {
namespace {

Status check_workspaces(const Plan& plan) {
  if (plan.workspaces.size() <= Call::kMaxWorkspaces) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "program \"" + plan.name + "\" has " +
                                                     std::to_string(plan.workspaces.size()) +
                                                     " workspaces (backend metal keeps at most " +
                                                     std::to_string(Call::kMaxWorkspaces) + "). Divide one instead.");
}

}  // namespace

int Launcher::prepare(int device, kmux_sink error) {
  if (device == 0) [[likely]] {
    return KMUX_OK;
  }
  write(error, check_device(device).error().message);
  return KMUX_INVALID_ARGUMENT;
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, std::shared_ptr<Gpu> gpu) {
  KMUX_ASSIGN(const std::string* const code, required_part(artifact, kCodePart, "metal"));
  KMUX_ASSIGN(const std::string* const plan_text, required_part(artifact, kPlanPart, "metal"));
  KMUX_ASSIGN(const std::string* const meta_text, required_part(artifact, kMetaPart, "metal"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  KMUX_ASSIGN(const Plan plan, read_plan(*plan_text));
  KMUX_TRY(check_workspaces(plan));
  LoadedProgram program{.gpu = std::move(gpu), .launchable = {}};
  KMUX_ASSIGN(program.launchable.launches, bindings_of(plan));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(plan));
  KMUX_ASSIGN(program.launchable.kernels,
              load_kernels(*program.gpu, {*code, meta.is_library, meta.options}, plan.kernels));
  return std::unique_ptr<Adapter>(std::make_unique<MetalAdapter>(std::move(program), std::move(runner)));
}

}  // namespace kmux::metal
