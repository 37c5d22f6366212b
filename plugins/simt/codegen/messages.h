#pragma once

#include <string>

#include "llvm/IR/LLVMContext.h"

namespace kmux::simt {

/// Redirects LLVM's messages about modules of `context` to `log` from now on. Sets `names_lines` to true if this
/// plugin's own code reports a message, which can name a line of the sources.
///
/// Lifetime: borrows `log` and `names_lines`, which must be valid as long as `context` is used. Clang leaves a handler
///           that points into the finished front end, so call this after it.
void capture_messages(llvm::LLVMContext& context, std::string& log, bool& names_lines);

}  // namespace kmux::simt
