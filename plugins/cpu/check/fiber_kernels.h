#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "check/fiber_launch.h"
#include "llvm/IR/Function.h"

namespace kmux::cpu::spmd {

/// The functions with a body that `kernels` and what they call refer to, those included.
std::vector<llvm::Function*> functions_of(std::span<llvm::Function* const> kernels);

/// Does a way of calls lead from `function` back to it?
bool calls_itself(llvm::Function& function);

/// A static shared variable of device code.
struct SharedVariable {
  std::string name;
  std::uint64_t bytes;
  const llvm::Function* function;  // whose it is
};

/// Has `functions`, not inlined yet, ask for their shared variables by number, and for the dynamic shared memory. Each is one
/// variable however often its function is called. Returns them in the order of their numbers.
std::vector<SharedVariable> number_shared(std::span<llvm::Function* const> functions);

/// Makes of each of `kernels`, which stay functions for one thread, what runs a fiber for each thread; with the checks, if
/// they are asked for. The launcher calls it as it would call one that was widened.
///
/// Errors: unsupported for inline assembly.
Status run_on_fibers(std::span<llvm::Function* const> kernels, const CheckOptions& options);

}  // namespace kmux::cpu::spmd
