#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace kmux::simt {

/// The pattern of a value over the lanes of a warp: uniform, strided (a constant more from each lane to the next), or
/// varying.
struct LaneValue {
  enum class Kind : unsigned char { kUnknown, kUniform, kStrided, kVarying };
  Kind kind = Kind::kUnknown;
  std::int64_t stride = 0;  // if kStrided
  unsigned zero_bits = 0;  // low bits of lane 0's value that are known to be zero
  bool is_signed_exact = false;  // true if the lanes are a progression as signed numbers, not only modulo the width
  bool is_unsigned_exact = false;

  bool operator==(const LaneValue&) const = default;
};

/// Returns `value` as a number of at most 32 bits; nothing if it is not such a constant.
std::optional<std::int64_t> small_constant(const llvm::Value* value);

/// Returns the distance from a lane's place of `variable` to the next lane's, aligned as accesses expect. Units: bytes.
std::uint64_t lane_bytes(const llvm::AllocaInst& variable);

/// Loads, or stores, of a block that access members of contiguous records, one record per lane: float4 by its x, y, z
/// and w. Or accesses of one number per lane, in a row that may descend.
struct Records {
  llvm::SmallVector<llvm::Instruction*, 4> members;  // in memory order; null: a member that is not accessed
  llvm::Instruction* at = nullptr;  // the access at which all may be made: the first load, or the last store
  std::int64_t offset = 0;  // of the first member, in bytes from the address of `at`
  std::int64_t stride = 0;  // from lane to lane, in bytes
};

/// The lane values of a function with structured control flow.
///
/// Lifetime: borrows for the calls of `of`.
class LaneValues {
 public:
  struct Place;
  struct Access;

  /// Computes the values. Phis in `blended` blocks select between incoming values lane by lane.
  LaneValues(llvm::Function& function, const llvm::UniformityInfo& uniformity, unsigned lanes,
             llvm::DenseSet<const llvm::BasicBlock*> blended);

  LaneValue of(const llvm::Value* value) const;
  /// Returns the stride of `value` if no part of it crosses a bound between lanes. Bounds are the range of a type that
  /// is extended, a multiple of a divisor, and the other operand of a minimum. Returns nothing if no stride is known.
  std::optional<std::int64_t> likely_stride(const llvm::Value* value, unsigned depth = 0) const;
  /// Returns the records that `block` reads and writes with a likely stride: whole ones only, unless gaps may be
  /// `masked`.
  std::vector<Records> records_in(llvm::BasicBlock& block, bool masked) const;

 private:
  bool learn(const llvm::Instruction& instruction);
  LaneValue computed(const llvm::Instruction& instruction) const;
  LaneValue computed_apart(const llvm::Instruction& instruction) const;
  LaneValue of_same(const llvm::Instruction& instruction) const;
  LaneValue of_phi(const llvm::PHINode& phi) const;
  LaneValue of_sum(const llvm::Instruction& sum, bool is_difference) const;
  LaneValue of_product(const llvm::Instruction& product) const;
  LaneValue of_cast(const llvm::CastInst& cast) const;
  LaneValue of_frozen(const llvm::Instruction& frozen) const;
  LaneValue of_complement(const llvm::Instruction& complement) const;
  LaneValue of_low_bits(const llvm::Instruction& rest) const;
  LaneValue of_high_bits(const llvm::Instruction& quotient) const;
  bool differs_below(const LaneValue& value, unsigned bits) const;
  LaneValue of_address(const llvm::Instruction& address) const;
  std::optional<std::int64_t> likely_stride_of_part(const llvm::Instruction& part, unsigned depth) const;
  std::optional<std::int64_t> likely_stride_of_sum(const llvm::Instruction& sum, unsigned depth) const;
  void find_records(std::vector<Access> accesses, bool masked, std::vector<Records>& found) const;
  void settle_exactness(LaneValue& value, const llvm::Instruction& instruction) const;

  const llvm::UniformityInfo& uniformity_;
  const llvm::DataLayout& layout_;
  const unsigned lanes_;
  const llvm::DenseSet<const llvm::BasicBlock*> blended_;
  llvm::DenseMap<const llvm::Value*, LaneValue> values_;
};

}  // namespace kmux::simt
