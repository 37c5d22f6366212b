#include "kmux/plugin/launch_check.h"

#include <limits>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/words.h"

namespace kmux {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr const char* kAxes = "xyz";

Error refused_launch(const std::string& name, const std::string& rest) {
  return make_error(ErrorCode::kInvalidArgument, "kernel \"" + name + "\" is launched " + rest);
}

std::string at_most_on_device(std::int64_t most) { return " (the device has at most " + std::to_string(most) + "). "; }

// The threads of a block whose extents are all constant.
std::int64_t threads_of(const std::array<Expr, 3>& block) {
  std::int64_t threads = 1;
  for (const Expr& extent : block) {
    if (!extent.is_constant() || extent.constant() <= 0) return kUnknown;
    if (__builtin_mul_overflow(threads, extent.constant(), &threads)) return std::numeric_limits<std::int64_t>::max();
  }
  return threads;
}

Status check_grid(const std::string& name, const PlanLaunch& launch, const LaunchLimits& limits) {
  for (std::size_t i = 0; i < launch.grid.size(); ++i) {
    if (!launch.grid[i].is_constant()) continue;
    const std::int64_t extent = launch.grid[i].constant();
    const std::string grid = std::string("on a grid whose extent ") + kAxes[i] + " is " + std::to_string(extent);
    if (extent == 0)
      return refused_launch(name, grid + " (it would never run). Give it a block, or remove the launch.");
    if (extent > limits.grid[i])
      return refused_launch(name, grid + at_most_on_device(limits.grid[i]) + "Use a smaller grid.");
  }
  return Ok{};
}

Status check_block(const std::string& name, const PlanLaunch& launch, const LaunchLimits& limits) {
  const std::int64_t threads = threads_of(launch.block);
  if (threads > limits.block_threads) {
    return refused_launch(name, "with blocks of " + std::to_string(threads) + " threads" +
                                    at_most_on_device(limits.block_threads) + "Use smaller blocks.");
  }
  for (std::size_t i = 0; i < launch.block.size(); ++i) {
    if (!launch.block[i].is_constant() || launch.block[i].constant() <= limits.block[i]) continue;
    return refused_launch(name, std::string("with blocks whose extent ") + kAxes[i] + " is " +
                                    std::to_string(launch.block[i].constant()) + at_most_on_device(limits.block[i]) +
                                    "Use smaller blocks.");
  }
  return Ok{};
}

std::int64_t argument_size(const PlanArg& argument) {
  if (const auto* scalar = std::get_if<PlanScalar>(&argument)) return packed_bytes(scalar->dtype, 1);
  if (const auto* value = std::get_if<PlanValue>(&argument)) return packed_bytes(value->dtype, 1);
  if (std::holds_alternative<PlanMapArg>(argument)) return sizeof(kmux_tensor_map);
  return sizeof(void*);
}

std::string sizes_text(const std::vector<unsigned>& sizes) {
  std::vector<std::string> texts;
  texts.reserve(sizes.size());
  for (const unsigned size : sizes) texts.push_back(std::to_string(size));
  return std::to_string(sizes.size()) + (sizes.size() == 1 ? " argument" : " arguments") +
         (sizes.empty() ? "" : " of " + join(texts) + " bytes");
}

}  // namespace

Status check_extents(const Plan& plan, const LaunchLimits& limits) {
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    const std::string& name = plan.kernels[launch.kernel];
    if (status.ok()) status = check_grid(name, launch, limits);
    if (status.ok()) status = check_block(name, launch, limits);
  });
  return status;
}

std::vector<unsigned> passed_bytes(const PlanLaunch& launch) {
  std::vector<unsigned> bytes;
  bytes.reserve(launch.args.size());
  for (const PlanArg& argument : launch.args) bytes.push_back(static_cast<unsigned>(argument_size(argument)));
  return bytes;
}

Status check_kernel(const std::string& name, const PlanLaunch& launch, const std::vector<unsigned>& passed,
                    const KernelForm& kernel) {
  if (kernel.argument_bytes && *kernel.argument_bytes != passed) {
    return refused_launch(name, "with " + sizes_text(passed) + " (its code takes " +
                                    sizes_text(*kernel.argument_bytes) + "). Correct the launch or the kernel.");
  }
  const std::int64_t threads = threads_of(launch.block);
  if (kernel.max_threads == 0 || threads <= std::int64_t{kernel.max_threads}) return Ok{};
  return refused_launch(name, "with blocks of " + std::to_string(threads) +
                                  " threads (its code is compiled for at most " + std::to_string(kernel.max_threads) +
                                  "). Use smaller blocks, or raise __launch_bounds__.");
}

}  // namespace kmux
