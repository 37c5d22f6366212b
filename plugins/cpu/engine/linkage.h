#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "llvm/IR/Module.h"

namespace kmux::cpu {

/// Joins the modules of the units and of the launcher; afterwards only `entry` is visible.
///
/// Arguments that the launcher passes as integers and a kernel takes as floating-point numbers of the same width
/// (unsigned short for _Float16) are passed by their bits; a bool may be taken as a byte.
/// Errors: compile_failed for a kernel that is not defined, and if two units define the same function; invalid_argument for
///         a kernel of another type than the launcher calls it with.
Result<std::unique_ptr<llvm::Module>> link_modules(std::vector<std::unique_ptr<llvm::Module>> units,
                                                   std::unique_ptr<llvm::Module> launcher,
                                                   const std::vector<std::string>& kernels, const std::string& entry,
                                                   const std::string& log);

}  // namespace kmux::cpu
