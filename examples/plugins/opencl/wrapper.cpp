#include "wrapper.h"

#include <array>

#include "kmux/plugin/launch_check.h"

#include "options.h"

namespace kmux::opencl {
namespace {

LaunchForm form_of(const PlanLaunch& launch) {
  LaunchForm form;
  const std::vector<unsigned> bytes = passed_bytes(launch);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    form.arguments.push_back({std::holds_alternative<PlanAddress>(launch.args[i]), bytes[i]});
  }
  form.has_local = !launch.dynamic_smem_bytes.is_constant(0);
  return form;
}

std::string listed(const std::array<Expr, 3>& extents) {
  return "(" + to_string(extents[0]) + ", " + to_string(extents[1]) + ", " + to_string(extents[2]) + ")";
}

std::string line_of(const PlanLaunch& launch, const Plan& plan) {
  std::string line = "  " + plan.kernels[launch.kernel] + ":";
  std::size_t index = 0;
  for (const PlanArg& argument : launch.args) {
    line += (index == 0 ? " arg(" : ", arg(") + std::to_string(index) + ") " + to_string(argument, plan);
    ++index;
  }
  if (!launch.dynamic_smem_bytes.is_constant(0))
    line += ", arg(" + std::to_string(index) + ") __local " + to_string(launch.dynamic_smem_bytes) + " bytes";
  return line + "; work-groups " + listed(launch.grid) + " of work-items " + listed(launch.block) + "\n";
}

}  // namespace

std::vector<LaunchForm> forms_of(const Plan& plan) {
  std::vector<LaunchForm> forms(plan.step_count);
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) { forms[launch.step] = form_of(launch); });
  return forms;
}

// [wrap.begin]
Result<std::string> OpenClWrapper::wrap(const BuildRequest& request) {
  KMUX_TRY(parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  std::string text = to_string(plan) + "opencl\n";
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) { text += line_of(launch, plan); });
  return text;
}
// [wrap.end]

}  // namespace kmux::opencl
