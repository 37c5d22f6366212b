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

namespace kmux::cpu::spmd {

/// What is known of a value over the lanes of a warp: the same in all, the one of lane 0 and a constant more in each next one,
/// or anything.
struct LaneValue {
  enum class Kind : unsigned char { kUnknown, kUniform, kStrided, kVarying };
  Kind kind = Kind::kUnknown;
  std::int64_t stride = 0;  // of kStrided
  unsigned zero_bits = 0;  // low bits of lane 0's value that are known to be zero
  bool is_signed_exact = false;  // are the lanes a progression as signed numbers, and not modulo the width alone?
  bool is_unsigned_exact = false;

  bool operator==(const LaneValue&) const = default;
};

/// `value` as a number of at most 32 bits; nothing if it is not constant.
std::optional<std::int64_t> small_constant(const llvm::Value* value);

/// From a lane's place of `variable` to the next one's, each of which is aligned as accesses expect. Units: bytes.
std::uint64_t lane_bytes(const llvm::AllocaInst& variable);

/// Loads of a block, or stores, of members of a record a lane, where records lie in a row: float4 by its x, y, z and w. Or of one
/// number, in a row that may go down.
struct Records {
  llvm::SmallVector<llvm::Instruction*, 4> members;  // as they lie in memory; null: one that is not reached
  llvm::Instruction* at = nullptr;  // the one of these where all may be made: the first load, or the last store
  std::int64_t offset = 0;  // of the first member, in bytes from what `at` reaches
  std::int64_t stride = 0;  // from lane to lane, in bytes
};

/// The lane values of a function whose control flow is structured.
///
/// Lifetime: borrows for the call of `of`.
class LaneValues {
 public:
  struct Place;
  struct Access;

  /// In `blended` blocks, values that come by different ways are chosen lane by lane.
  LaneValues(llvm::Function& function, const llvm::UniformityInfo& uniformity, unsigned lanes,
             llvm::DenseSet<const llvm::BasicBlock*> blended);

  LaneValue of(const llvm::Value* value) const;
  /// The stride of `value` if nothing that it is made of goes over a bound from one lane to another: that of its type, which is
  /// extended, a multiple of a divisor, or the other side of a minimum. Nothing if there is none.
  std::optional<std::int64_t> likely_stride(const llvm::Value* value, unsigned depth = 0) const;
  /// The records that `block` reads and writes, in that likely stride; whole ones only, unless what is between may be `masked`.
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

}  // namespace kmux::cpu::spmd
