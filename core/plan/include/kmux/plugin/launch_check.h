#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/plan.h"

namespace kmux {

/// What every device of a kind has at most, in x, y, z.
struct LaunchLimits {
  std::array<std::int64_t, 3> grid;  // blocks
  std::array<std::int64_t, 3> block;  // threads
  std::int64_t block_threads = 0;  // x * y * z
};

/// What the compiled code of a kernel has about it. What it lacks is not compared.
struct KernelForm {
  std::optional<std::vector<unsigned>> argument_bytes = {};  // of each parameter
  unsigned max_threads = 0;                                  // of a block; 0: as many as the device has
};

/// Do the constant extents of each launch of `plan` fit the devices? What is computed by a call is not known yet.
///
/// Errors: invalid_argument that names the kernel and the extent: an empty grid, or more than the limits.
Status check_extents(const Plan& plan, const LaunchLimits& limits);

/// The size of each argument that `launch` passes. A tensor map is a `kmux_tensor_map`.
std::vector<unsigned> passed_bytes(const PlanLaunch& launch);

/// Does `launch` of kernel `name`, which passes arguments of `passed` bytes, fit the kernel?
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_kernel(const std::string& name, const PlanLaunch& launch, const std::vector<unsigned>& passed,
                    const KernelForm& kernel);

}  // namespace kmux
