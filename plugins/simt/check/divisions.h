#pragma once

#include "llvm/IR/Function.h"

namespace kmux::simt {

/// Inserts call::kQuotient before each division of `function` that may have no quotient: by 0, or of the least integer
/// by -1. `instrument` adds the lines.
///
/// Preconditions: define_arithmetic. Divisors are hidden still.
void watch_divisions(llvm::Function& function);

}  // namespace kmux::simt
