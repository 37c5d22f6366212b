#pragma once

#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Returns the sorted names of the variables of `module` that its own functions may write and that live as long as it
/// is loaded. Excludes __shared__ and __constant__ variables. `module` must be as Clang made it.
std::vector<std::string> written_variables(const llvm::Module& module);

}  // namespace kmux::simt
