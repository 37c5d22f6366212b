#include <algorithm>

#include "llvm/IR/InstIterator.h"
#include "spmd/branches.h"
#include "spmd/lane_values.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

constexpr unsigned kMostThreads = 256;
constexpr std::uint64_t kMostInstructions = 2400;  // of all warps: what a compilation may take longer
constexpr std::uint64_t kMostPrivateBytes = 32 << 10;  // of all warps, on the stack of the thread that runs the block

bool has_barrier(const llvm::Function& kernel) {
  return std::ranges::any_of(llvm::instructions(kernel), [](const auto& one) { return is_barrier(&one); });
}

/// What of a kernel is for or against it.
class Judgement {
 public:
  Judgement(llvm::Function& kernel, unsigned lanes, const Branches& branches, const llvm::UniformityInfo& uniformity)
      : kernel_(kernel),
        branches_(branches),
        uniformity_(uniformity),
        dominators_(kernel),
        loops_(dominators_),
        values_(kernel, uniformity, lanes, branches.blended(loops_)) {}

  /// Do all warps reach each barrier together?
  bool has_common_barriers() const;
  /// Is a loop left by what lanes compute? Each warp would go round as often as the slowest of all.
  bool is_left_by_data() const;
  bool is_of_use() const { return !loops_.empty() || has_barrier(kernel_); }
  /// How many warps keep within the bounds above.
  unsigned most_warps(unsigned lanes) const;

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

bool Judgement::is_common(const llvm::BasicBlock& block) const {
  for (const Split& split : branches_.splits()) {
    if (dominators_.dominates(split.region, &block)) return false;
  }
  for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
    if (branches_.is_left_one_by_one(loop)) return false;
  }
  return true;
}

bool Judgement::has_common_barriers() const {
  return std::ranges::all_of(llvm::instructions(kernel_), [&](const llvm::Instruction& one) {
    return !is_barrier(&one) || is_common(*one.getParent());
  });
}

bool Judgement::is_left_by_data() const {
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

// Do lanes read or write places that do not follow one another?
bool Judgement::is_scattered(const llvm::Instruction& access) const {
  const llvm::Value* const address = llvm::getLoadStorePointerOperand(&access);
  if (address == nullptr) return false;
  const LaneValue known = values_.of(address);
  if (known.kind == LaneValue::Kind::kUniform) return false;
  llvm::Type* const type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  const auto bytes = kernel_.getDataLayout().getTypeStoreSize(type).getFixedValue();
  return known.kind != LaneValue::Kind::kStrided || known.stride != static_cast<std::int64_t>(bytes);
}

// How many instructions a warp makes of `one`. Where the processor has none that writes scattered places, each lane has a test,
// a branch and an access of its own: twelve such accesses of 256 threads took LLVM 12 s, and ran no faster for it.
std::uint64_t Judgement::size_of(const llvm::Instruction& one, unsigned lanes) const {
  constexpr unsigned kOfALane = 3;
  const bool can_scatter = kernel_.getFnAttribute("target-features").getValueAsString().contains("+avx512f");
  return can_scatter || !is_scattered(one) ? 1 : kOfALane * lanes;
}

unsigned Judgement::most_warps(unsigned lanes) const {
  std::uint64_t once = 0;
  std::uint64_t each = 0;
  std::uint64_t bytes = 0;
  for (const llvm::Instruction& one : llvm::instructions(kernel_)) {
    (uniformity_.isDivergent(&one) || one.mayWriteToMemory() ? each : once) += size_of(one, lanes);
    const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&one);
    if (variable == nullptr) continue;
    bytes += lanes * variable->getAllocationSize(kernel_.getDataLayout())->getFixedValue();
  }
  if (once >= kMostInstructions) return 1;
  const std::uint64_t by_code = (kMostInstructions - once) / std::max<std::uint64_t>(each, 1);
  const std::uint64_t by_bytes = kMostPrivateBytes / std::max<std::uint64_t>(bytes, 1);
  return static_cast<unsigned>(std::min<std::uint64_t>({by_code, by_bytes, std::uint64_t{kMostThreads / lanes}}));
}

}  // namespace

bool may_run_in_step(llvm::Function& kernel, const BlockShape& shape) {
  if (shape.warps_in_step(kMostThreads / shape.lanes) == 1) return false;
  const llvm::DominatorTree dominators(kernel);
  return has_barrier(kernel) || !llvm::LoopInfo(dominators).empty();
}

Result<unsigned> warps_in_step(llvm::Function& kernel, const BlockShape& shape,
                               llvm::FunctionAnalysisManager& analyses) {
  KMUX_ASSIGN(const Branches branches,
              Branches::find(kernel, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel)));
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  const Judgement judgement(kernel, shape.lanes, branches, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel));
  if (!judgement.is_of_use() || !judgement.has_common_barriers() || judgement.is_left_by_data()) return 1U;
  return shape.warps_in_step(judgement.most_warps(shape.lanes));
}

}  // namespace kmux::cpu::spmd
