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

/// Loads of a block, or stores, of all members of a record a lane, where records lie in a row: float4 by its x, y, z and w. Or of
/// one number.
struct Records {
  llvm::SmallVector<llvm::Instruction*, 4> members;  // as they lie in memory
  const llvm::Instruction* at = nullptr;  // the one of these where all may be made: the first load, or the last store
  const llvm::Value* base = nullptr;  // the first member is so many bytes from there
  std::int64_t offset = 0;
};

/// The lane values of a function whose control flow is structured.
///
/// Lifetime: borrows for the call of `of`.
class LaneValues {
 public:
  /// In `blended` blocks, values that come by different ways are chosen lane by lane.
  LaneValues(llvm::Function& function, const llvm::UniformityInfo& uniformity, unsigned lanes,
             llvm::DenseSet<const llvm::BasicBlock*> blended);

  LaneValue of(const llvm::Value* value) const;
  /// The stride of `value` if none of the numbers that are extended to make it leaves its narrower type from one lane to another;
  /// nothing if there is none.
  std::optional<std::int64_t> likely_stride(const llvm::Value* value) const;
  /// The records that `block` reads and writes whole, in that likely stride.
  std::vector<Records> records_in(llvm::BasicBlock& block) const;

 private:
  bool learn(const llvm::Instruction& instruction);
  LaneValue computed(const llvm::Instruction& instruction) const;
  LaneValue computed_apart(const llvm::Instruction& instruction) const;
  LaneValue of_same(const llvm::Instruction& instruction) const;
  LaneValue of_phi(const llvm::PHINode& phi) const;
  LaneValue of_sum(const llvm::Instruction& sum, bool is_difference) const;
  LaneValue of_product(const llvm::Instruction& product) const;
  LaneValue of_cast(const llvm::CastInst& cast) const;
  LaneValue of_address(const llvm::Instruction& address) const;
  std::optional<std::int64_t> likely_stride_of_address(const llvm::GEPOperator& address) const;
  std::optional<std::int64_t> likely_stride_of_cast(const llvm::CastInst& cast) const;
  void settle_exactness(LaneValue& value, const llvm::Instruction& instruction) const;

  const llvm::UniformityInfo& uniformity_;
  const llvm::DataLayout& layout_;
  const unsigned lanes_;
  const llvm::DenseSet<const llvm::BasicBlock*> blended_;
  llvm::DenseMap<const llvm::Value*, LaneValue> values_;
};

}  // namespace kmux::cpu::spmd
