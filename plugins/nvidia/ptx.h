#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/plan.h"

#include "nvidia/target.h"

namespace kmux::nvidia {

/// The names of the kernels (`.entry`) in PTX, sorted.
std::vector<std::string> ptx_kernels(std::string_view ptx);

/// The architecture of its `.target` line.
///
/// Errors: invalid_argument if it has none.
Result<Arch> ptx_arch(std::string_view ptx);

/// The symbols of the kernels of `plan` in the one source of a variant of dialect cubin or ptx.
///
/// Errors: invalid_argument if the source is not what the dialect says, or does not run on `target`, and as
///         `check_launches` for a cubin; compile_failed for a kernel that it lacks.
Result<std::vector<std::string>> check_ready_code(const Variant& variant, Arch target, const Plan& plan);

}  // namespace kmux::nvidia
