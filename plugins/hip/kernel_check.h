#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/plan.h"

#include "code_object.h"

namespace kmux::hip {

/// The kernel of `code` that `name` means: a symbol, a name with C++ linkage that only one kernel has, or an
/// instantiation ("scale<float>").
///
/// Errors: compile_failed with the kernels that there are.
Result<const CodeKernel*> find_kernel(const CodeObject& code, const std::string& name);

/// Does every launch of `plan` pass what its kernel takes: as many arguments, each of its size, and no block of constant
/// extents larger than the code is compiled for? `kernels` are those of the plan, in its order.
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_launches(const Plan& plan, const std::vector<const CodeKernel*>& kernels);

}  // namespace kmux::hip
