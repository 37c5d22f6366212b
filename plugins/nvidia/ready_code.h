#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/plan.h"

#include "nvidia/arch.h"

namespace kmux::nvidia {

/// The symbols of the kernels of `plan` in the one source of a variant of dialect cubin or ptx.
///
/// Errors: invalid_argument if the source is not what the dialect says, or does not run on `target`, and as
///         `check_launches` for a cubin; compile_failed for a kernel that it lacks.
Result<std::vector<std::string>> check_ready_code(const Variant& variant, Arch target, const Plan& plan);

}  // namespace kmux::nvidia
