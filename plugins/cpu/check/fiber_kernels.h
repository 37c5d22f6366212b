#pragma once

#include <span>
#include <string>

#include "kmux/error.h"

#include "check/check_options.h"
#include "llvm/IR/Function.h"

namespace kmux::cpu::spmd {

/// Makes of each of `kernels`, which stay functions for one thread, what runs a fiber for each thread; with the checks, if
/// they are asked for. The launcher calls it as it would call one that was widened.
///
/// Errors: unsupported for inline assembly.
Status run_on_fibers(std::span<llvm::Function* const> kernels, const CheckOptions& options);

}  // namespace kmux::cpu::spmd
