#pragma once

#include <span>

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "simt/check/check_options.h"

namespace kmux::simt {

/// Wraps each of `kernels`, which stay functions for one thread, in a function that runs one fiber per thread, with the
/// checks that `options` request. Launchers call it like a vectorized kernel.
///
/// Errors: unsupported for inline assembly and lane exchanges between 64 threads; internal if LLVM's verifier finds the
///         result invalid.
Status run_on_fibers(std::span<llvm::Function* const> kernels, const CheckOptions& options);

}  // namespace kmux::simt
