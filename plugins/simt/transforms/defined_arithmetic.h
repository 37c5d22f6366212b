#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Defines integer division by zero, oversized shifts and non-canonical bools before LLVM exploits them as undefined
/// behaviour. A quotient by zero is some number. A shift by the width or more shifts out all bits. A byte of a bool is
/// true if it is not zero. Divisors of signed quotients stay hidden until `reveal_divisors`.
void define_arithmetic(llvm::Module& module);

/// Ends the hiding of divisors in `function`, whose calls must have become part of it or stay calls. Replaces quotients
/// of the least integer, and those by -1: later passes would fold them to poison.
void reveal_divisors(llvm::Function& function);

/// Returns true if `division` may be a signed quotient or remainder of the least integer by -1.
bool may_overflow(const llvm::Instruction& division);

/// Returns the result of `division`, which may_overflow, for `dividend` and `divisor`. The least integer by -1 gives
/// itself, remainder 0.
llvm::Value* divided(llvm::IRBuilder<>& builder, const llvm::Instruction& division, llvm::Value* dividend,
                     llvm::Value* divisor);

/// Replaces each division of `function` that may_overflow. Vectorized code does so at the division itself: a divergent
/// test would hide that quotients of an index are uniform.
void guard_divisions(llvm::Function& function);

}  // namespace kmux::simt
