#include "builder.h"

#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/plan.h"

#include "compiler.h"
#include "meta.h"
#include "wrapper.h"

namespace kmux::opencl {
namespace {

// A kernel object that is released with this.
class OwnedKernel {
 public:
  OwnedKernel(const Api& api, ClKernel kernel) : api_(api), kernel_(kernel) {}
  OwnedKernel(const OwnedKernel&) = delete;
  OwnedKernel& operator=(const OwnedKernel&) = delete;
  ~OwnedKernel() { api_.clReleaseKernel(kernel_); }
  ClKernel get() const { return kernel_; }

 private:
  const Api& api_;
  ClKernel kernel_;
};

LaunchLimits limits_of(const DeviceInfo& info) {
  constexpr std::int64_t kMaxGroups = 0x7fffffff;
  LaunchLimits limits{{kMaxGroups, kMaxGroups, kMaxGroups}, {}, static_cast<std::int64_t>(info.max_group)};
  for (std::size_t i = 0; i < 3; ++i) limits.block[i] = static_cast<std::int64_t>(info.max_items[i]);
  return limits;
}

Status check_required_group(const std::string& name, const PlanLaunch& launch, const KernelLimits& limits) {
  for (std::size_t i = 0; i < 3; ++i) {
    const auto required = static_cast<std::int64_t>(limits.required_group[i]);
    if (required == 0 || !launch.block[i].is_constant() || launch.block[i].constant() == required) continue;
    return make_error(ErrorCode::kInvalidArgument, "kernel \"" + name + "\" is launched with blocks whose extent " +
                                                       "xyz"[i] + " is " + std::to_string(launch.block[i].constant()) +
                                                       " (its reqd_work_group_size has " + std::to_string(required) +
                                                       "). Correct the launch or the kernel.");
  }
  return Ok{};
}

Status check_launch(const OpenDevice& device, const BuiltProgram& built, const Plan& plan, const PlanLaunch& launch) {
  const std::string& name = plan.kernels[launch.kernel];
  KMUX_ASSIGN(const ClKernel made, built.make_kernel(name));
  const OwnedKernel kernel(device.api(), made);
  KMUX_TRY(check_required_group(name, launch, opencl::limits_of(device, kernel.get())));
  const bool has_local = !launch.dynamic_smem_bytes.is_constant(0);
  return check_kernel(name, launch, passed_arguments(plan, launch), form_of(device, kernel.get(), has_local));
}

Status check_launches(const OpenDevice& device, const BuiltProgram& built, const Plan& plan) {
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    if (status.ok()) status = check_launch(device, built, plan, launch);
  });
  return status;
}

}  // namespace

// [toolchain.begin]
Result<std::string> OpenClBuilder::toolchain(const Target& target, const Options& options) {
  KMUX_ASSIGN(const BuildOptions parsed, parse_options(options, host_));
  KMUX_ASSIGN(const auto machine, open_());
  KMUX_ASSIGN(const int ordinal, machine->ordinal_of(target.arch));
  KMUX_ASSIGN(const DeviceInfo* const info, machine->info(ordinal));
  return dump(Json::Object{{"device", info->name},
                           {"driver", info->driver_version},
                           {"options", to_json(parsed)},
                           {"platform", info->platform_version},
                           {"version", info->version}});
}
// [toolchain.end]

// What may be read through #include, before the driver reads it. Its own headers belong to the driver.
Dependencies OpenClBuilder::scan(const Variant& variant, const BuildOptions& options) {
  HeaderSearch search{options.include_dirs, variant.settings.compile_flags, {}};
  search.compile_flags.insert(search.compile_flags.end(), options.compile_flags.begin(), options.compile_flags.end());
  return headers_.scan(variant, search).value_or(Dependencies{});
}

// [build.begin]
Result<Artifact> OpenClBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_ASSIGN(const auto machine, open_());
  KMUX_ASSIGN(const int ordinal, machine->ordinal_of(request.target.arch));
  KMUX_ASSIGN(OpenDevice* const device, machine->device(ordinal));
  KMUX_TRY(check_extents(plan, limits_of(device->info())));
  const Dependencies dependencies = scan(request.chosen(), options);
  KMUX_ASSIGN(const BuiltProgram built, BuiltProgram::compile(*device, request.chosen(), options));
  if (!built.log().empty()) host_.log(Host::Level::kDebug, built.log());
  KMUX_TRY(check_launches(*device, built, plan));
  Artifact artifact;
  KMUX_ASSIGN(std::string code, built.binary());
  artifact.set(kCodePart, std::move(code));
  artifact.set(kLauncherPart, std::string(launcher));
  artifact.set(kPlanPart, plan_part(request.program, request.variant));
  artifact.set(kMetaPart, dump_meta({device->info().arch, device->info().driver_version}));
  artifact.set(std::string(kDependenciesPart), to_json(dependencies));
  return artifact;
}
// [build.end]

}  // namespace kmux::opencl
