#include "nvidia/launch_check.h"

#include "kmux/plugin/launch_check.h"

#include "nvidia/kernel_record.h"

namespace kmux::nvidia {
namespace {

// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same for all.
constexpr LaunchLimits kLimits{{2147483647, 65535, 65535}, {1024, 1024, 64}, 1024};

// As in a launch: a spare byte is for a last parameter that holds nothing.
Status check_launch(const std::string& kernel, const PlanLaunch& launch, ArgumentPack pack, const KernelForm& form) {
  const auto& taken = form.argument_bytes;
  if (pack.spare && taken && taken->size() == pack.sizes.size() + 1 && taken->back() == 1) pack.sizes.push_back(1);
  return check_kernel(kernel, launch, pack.sizes, form);
}

}  // namespace

Status check_extents(const Plan& plan) { return kmux::check_extents(plan, kLimits); }

Status check_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view cubin,
                      const ArgumentSizes& sizes) {
  std::vector<KernelForm> forms;
  forms.reserve(symbols.size());
  for (const std::string& symbol : symbols) {
    KMUX_ASSIGN(KernelForm form, kernel_record(cubin, symbol));
    forms.push_back(std::move(form));
  }
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    if (!status.ok()) return;
    status = check_launch(plan.kernels[launch.kernel], launch, sizes(launch), forms[launch.kernel]);
  });
  return status;
}

}  // namespace kmux::nvidia
