#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kmux/error.h"

#include "simt/ptx/instruction.h"

namespace kmux::simt::ptx {

/// The instructions of PTX whose mnemonics begin with the same part.
struct Family {
  enum class Effect : std::uint8_t { kNone, kMemory };

  std::string_view name;
  Status (*emit)(Instruction& instruction);
  Effect effect = Effect::kNone;  // kNone: may also be computed for lanes whose predicate is false
};

// One file each.
std::span<const Family> move_families();
std::span<const Family> compare_families();
std::span<const Family> arithmetic_families();
std::span<const Family> bit_families();
std::span<const Family> number_families();  // of floating point alone: fma, rcp, ex2
std::span<const Family> conversion_families();
std::span<const Family> memory_families();
std::span<const Family> atomic_families();
std::span<const Family> warp_families();
std::span<const Family> barrier_families();
std::span<const Family> copy_families();  // asynchronous ones
std::span<const Family> cluster_families();
std::span<const Family> tensor_map_families();
std::span<const Family> matrix_families();
std::span<const Family> control_families();

/// Emits add, sub, mul, fma, min, max, neg, abs, ... of numbers with a fraction.
Status emit_number(Instruction& instruction, std::string_view name, Type type);
/// Emits the same of f16 and bf16, packed or not.
Status emit_half(Instruction& instruction, std::string_view name, Type type);

/// Emits st.async and st.bulk.
Status emit_special_store(Instruction& instruction);
/// Emits bar.warp.sync: a barrier of the lanes of a warp.
Status emit_warp_barrier(Instruction& instruction);
/// Emits a barrier of all threads of the block.
void emit_block_barrier(llvm::IRBuilder<>& builder);

/// Returns the family of `statement`.
///
/// Errors: unsupported, with the requirement, for instructions that a processor cannot execute.
Result<const Family*> family_of(const Statement& statement);

}  // namespace kmux::simt::ptx
