#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/plan.h"

#include "nvidia/facts.h"

namespace kmux::nvidia {

/// Do the constant extents of the launches fit every device of NVIDIA's?
///
/// Errors: as `kmux::check_extents`.
Status check_extents(const Plan& plan);

/// Do the launches of `plan` pass what its kernels take, as far as `cubin` says that, and in blocks for which they are
/// compiled? `symbols` are those of the kernels in it, `sizes` says what is passed.
///
/// Errors: invalid_argument that names the kernel and shows both; as `CubinFile::open`.
Status check_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view cubin,
                      const ArgumentSizes& sizes = argument_sizes);

}  // namespace kmux::nvidia
