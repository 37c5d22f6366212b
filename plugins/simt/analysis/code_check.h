#pragma once

#include <string>

#include "kmux/error.h"

#include "llvm/IR/Function.h"

namespace kmux::simt {

/// Runs LLVM's verifier on `function`.
///
/// Errors: internal with `problem`, followed by advice, if `function` is invalid.
Status check_code(const llvm::Function& function, const std::string& problem);

}  // namespace kmux::simt
