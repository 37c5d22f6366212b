#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"

namespace kmux::cpu::spmd {

/// A static shared variable of device code.
struct SharedVariable {
  std::string name;
  std::uint64_t bytes;
  const llvm::Function* function;  // whose it is
};

/// Has `functions`, not inlined yet, ask for their shared variables by number, and for the dynamic shared memory. Each is one
/// variable however often its function is called. Returns them in the order of their numbers.
std::vector<SharedVariable> number_shared(std::span<llvm::Function* const> functions);

}  // namespace kmux::cpu::spmd
