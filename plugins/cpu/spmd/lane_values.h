#pragma once

#include <cstdint>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

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

/// The lane values of a function whose control flow is structured.
///
/// Lifetime: borrows for the call of `of`.
class LaneValues {
 public:
  /// In `blended` blocks, values that come by different ways are chosen lane by lane.
  LaneValues(llvm::Function& function, const llvm::UniformityInfo& uniformity, unsigned lanes,
             llvm::DenseSet<const llvm::BasicBlock*> blended);

  LaneValue of(const llvm::Value* value) const;

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
  void settle_exactness(LaneValue& value, const llvm::Instruction& instruction) const;

  const llvm::UniformityInfo& uniformity_;
  const llvm::DataLayout& layout_;
  const unsigned lanes_;
  const llvm::DenseSet<const llvm::BasicBlock*> blended_;
  llvm::DenseMap<const llvm::Value*, LaneValue> values_;
};

}  // namespace kmux::cpu::spmd
