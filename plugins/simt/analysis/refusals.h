#pragma once

#include <string_view>

#include "kmux/error.h"

#include "llvm/IR/Function.h"

namespace kmux::simt {

/// Returns the error for `construct` at `place` ("k.cu:3", or empty). `reason` must be kRefusedMark, the cause, ")".
Error refused_construct(std::string_view place, std::string_view construct, std::string_view reason);

/// Checks that `function` has no code for another processor.
///
/// Errors: unsupported for inline assembly and functions that device/ refuses, with file and line if the module has
///         them.
Status check_text(const llvm::Function& function);

}  // namespace kmux::simt
