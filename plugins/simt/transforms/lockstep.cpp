#include "simt/transforms/lockstep.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "simt/analysis/block_shape.h"
#include "simt/analysis/branches.h"
#include "simt/analysis/lane_values.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

constexpr unsigned kMaxThreads = 256;
// The limits for a whole block with a barrier, whose warps then need no frames.
constexpr unsigned kMaxWholeThreads = 512;
constexpr std::uint64_t kMaxWholeCode = 3600;
constexpr std::uint64_t kMaxInstructions = 2400;  // of all warps: limits the extra compile time
constexpr std::uint64_t kMaxPrivateBytes = 32 << 10;  // of all warps, on the stack of the thread that runs the block

bool has_barrier(const llvm::Function& kernel) {
  return std::ranges::any_of(llvm::instructions(kernel), [](const auto& one) { return is_barrier(&one); });
}

/// The cost model of warps in lockstep for one kernel.
class CostModel {
 public:
  CostModel(llvm::Function& kernel, unsigned lanes, const Branches& branches, const llvm::UniformityInfo& uniformity)
      : kernel_(kernel),
        branches_(branches),
        uniformity_(uniformity),
        dominators_(kernel),
        loops_(dominators_),
        values_(kernel, uniformity, lanes, branches.blended(loops_)) {}

  /// Returns true if all warps reach each barrier together.
  bool has_common_barriers() const;
  /// Returns true if lanes leave a loop by data that they compute. Each warp would then run as many iterations as the
  /// slowest one.
  bool is_left_by_data() const;
  bool is_of_use() const { return !loops_.empty() || has_barrier(kernel_); }
  /// Returns how many warps fit the limits above.
  unsigned most_warps(const BlockShape& shape) const;

 private:
  bool is_common(const llvm::BasicBlock& block) const;
  bool is_scattered(const llvm::Instruction& access) const;
  std::uint64_t size_of(const llvm::Instruction& one, unsigned lanes) const;

  llvm::Function& kernel_;
  const Branches& branches_;
  const llvm::UniformityInfo& uniformity_;
  const llvm::DominatorTree dominators_;
  const llvm::LoopInfo loops_;
  const LaneValues values_;
};

bool CostModel::is_common(const llvm::BasicBlock& block) const {
  for (const Split& split : branches_.splits()) {
    if (dominators_.dominates(split.region, &block)) return false;
  }
  for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
    if (branches_.is_left_one_by_one(loop)) return false;
  }
  return true;
}

bool CostModel::has_common_barriers() const {
  return std::ranges::all_of(llvm::instructions(kernel_), [&](const llvm::Instruction& one) {
    return !is_barrier(&one) || is_common(*one.getParent());
  });
}

bool CostModel::is_left_by_data() const {
  for (const llvm::Loop* const loop : loops_.getLoopsInPreorder()) {
    if (!branches_.is_left_one_by_one(loop)) continue;
    const auto* const end = llvm::cast<llvm::BranchInst>(loop->getLoopLatch()->getTerminator());
    const auto* const compare = llvm::dyn_cast<llvm::CmpInst>(end->getCondition());
    if (compare == nullptr) return true;
    for (const llvm::Use& side : compare->operands()) {
      if (values_.of(side).kind == LaneValue::Kind::kVarying) return true;
    }
  }
  return false;
}

// Returns true if lanes access places that are not contiguous.
bool CostModel::is_scattered(const llvm::Instruction& access) const {
  const llvm::Value* const address = llvm::getLoadStorePointerOperand(&access);
  if (address == nullptr) return false;
  const LaneValue known = values_.of(address);
  if (known.kind == LaneValue::Kind::kUniform) return false;
  llvm::Type* const type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  const auto bytes = kernel_.getDataLayout().getTypeStoreSize(type).getFixedValue();
  return known.kind != LaneValue::Kind::kStrided || known.stride != static_cast<std::int64_t>(bytes);
}

// Returns how many instructions a warp needs for `one`. Without scatter instructions, each lane has a separate test,
// branch and access. Twelve such accesses of 256 threads took LLVM 12 s, and ran no faster for it. Numbers of 8 and 16
// bits are stored by a loop (lane_calls.cpp).
std::uint64_t CostModel::size_of(const llvm::Instruction& one, unsigned lanes) const {
  constexpr unsigned kOfALane = 3;
  const bool can_scatter = kernel_.getFnAttribute("target-features").getValueAsString().contains("+avx512f");
  const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one);
  const bool is_loop = store != nullptr && one.getDataLayout().getTypeStoreSize(store->getOperand(0)->getType()) <= 2;
  return can_scatter || is_loop || !is_scattered(one) ? 1 : kOfALane * lanes;
}

unsigned CostModel::most_warps(const BlockShape& shape) const {
  std::uint64_t once = 0, each = 0, bytes = 0;
  for (const llvm::Instruction& one : llvm::instructions(kernel_)) {
    (uniformity_.isDivergent(&one) || one.mayWriteToMemory() ? each : once) += size_of(one, shape.lanes);
    const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&one);
    if (variable != nullptr) bytes += shape.lanes * lane_bytes(*variable);
  }
  const std::uint64_t all = shape.threads() / shape.lanes,
                      by_bytes = kMaxPrivateBytes / std::max<std::uint64_t>(bytes, 1);
  const bool may_be_whole = has_barrier(kernel_) && shape.threads() <= kMaxWholeThreads && all <= by_bytes;
  if (may_be_whole && once + all * each <= kMaxWholeCode) return static_cast<unsigned>(all);
  if (once >= kMaxInstructions) return 1;
  const std::uint64_t by_code = (kMaxInstructions - once) / std::max<std::uint64_t>(each, 1);
  return static_cast<unsigned>(std::min<std::uint64_t>({by_code, by_bytes, std::uint64_t{kMaxThreads / shape.lanes}}));
}

}  // namespace

bool may_run_in_lockstep(llvm::Function& kernel, const BlockShape& shape) {
  if (shape.lockstep_warps(kMaxThreads / shape.lanes) == 1) return false;
  const llvm::DominatorTree dominators(kernel);
  return has_barrier(kernel) || !llvm::LoopInfo(dominators).empty();
}

Result<unsigned> lockstep_warps(llvm::Function& kernel, const BlockShape& shape,
                                llvm::FunctionAnalysisManager& analyses) {
  KMUX_ASSIGN(const Branches branches,
              Branches::find(kernel, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel)));
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  const CostModel judgement(kernel, shape.lanes, branches, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel));
  if (!judgement.is_of_use() || !judgement.has_common_barriers() || judgement.is_left_by_data()) return 1U;
  return shape.lockstep_warps(judgement.most_warps(shape));
}

}  // namespace kmux::simt
