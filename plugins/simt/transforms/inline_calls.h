#pragma once

#include <cstdint>

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Inlines all calls of `kernel`, replaces its shared variables by offsets in the shared memory of the block, and
/// promotes memory to scalars. Returns the bytes of the static shared variables.
///
/// Errors: unsupported for recursion, indirect calls of unknown functions, arrays of dynamic size, and inline assembly,
///         with file and line if the module has them.
Result<std::uint64_t> inline_calls(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::simt
