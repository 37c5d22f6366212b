#include "simt/analysis/divergence.h"

#include <algorithm>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

bool is_own_call(const llvm::CallInst& call) {
  const std::string_view name = called(&call);
  if (name == call::kShuffle || name == call::kLane || name.starts_with("kmux.thread.")) return true;
  if (!name.empty() || llvm::isa<llvm::IntrinsicInst>(call)) return false;
  return true;  // each lane calls it separately
}

bool is_own_to_warp(const llvm::Value* value) { return calls(value, call::kBallot) || is_warp_index(value); }

// The limit, in instructions, of an unrolled loop over a private array. Once its indices are constant, the array is in
// registers, as on a GPU. Otherwise, each access of each lane reaches memory.
constexpr unsigned kMaxOverArray = 6000;
constexpr std::uint64_t kMaxArrayBytes = 4096;  // bytes of an array that can be in registers

// Returns the private array of `address` if registers can hold its bytes, or null.
const llvm::AllocaInst* private_array(const llvm::Value* address) {
  const auto* const array = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
  if (array == nullptr || !array->isStaticAlloca()) return nullptr;
  const auto bytes = array->getAllocationSize(array->getDataLayout());
  return bytes && !bytes->isScalable() && bytes->getFixedValue() <= kMaxArrayBytes ? array : nullptr;
}

// Returns true if a place in a private array depends on the iteration of `loop`.
bool goes_over_array(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& one : *block) {
      llvm::Value* const address = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&one));
      if (address == nullptr || private_array(address) == nullptr) continue;
      if (!evolution.isLoopInvariant(evolution.getSCEV(address), &loop)) return true;
    }
  }
  return false;
}

class Lanes final : public llvm::TargetTransformInfoImplCRTPBase<Lanes> {
 public:
  Lanes(const llvm::DataLayout& layout, bool in_lockstep)
      : TargetTransformInfoImplCRTPBase(layout), in_step_(in_lockstep) {}

  bool hasBranchDivergence(const llvm::Function* = nullptr) { return true; }
  bool isSourceOfDivergence(const llvm::Value* value) {
    if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value)) return true;
    if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(value)) return !load->isUnordered();
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(value);
    if (call == nullptr) return false;
    return (in_step_ && is_own_to_warp(call)) || is_own_call(*call);
  }
  void getUnrollingPreferences(llvm::Loop* loop, llvm::ScalarEvolution& evolution,
                               llvm::TargetTransformInfo::UnrollingPreferences& preferences,
                               llvm::OptimizationRemarkEmitter*) {
    if (goes_over_array(*loop, evolution)) preferences.Threshold = std::max(preferences.Threshold, kMaxOverArray);
  }
  bool isAlwaysUniform(const llvm::Value* value) {
    return calls(value, call::kAll) || (calls(value, call::kBallot) && !in_step_);
  }

 private:
  bool in_step_;
};

}  // namespace

llvm::TargetIRAnalysis divergence(bool in_lockstep) {
  return llvm::TargetIRAnalysis([in_lockstep](const llvm::Function& function) {
    return llvm::TargetTransformInfo(Lanes(function.getDataLayout(), in_lockstep));
  });
}

void register_divergence(llvm::FunctionAnalysisManager& analyses, bool in_lockstep) {
  analyses.registerPass([in_lockstep] { return divergence(in_lockstep); });
}

}  // namespace kmux::simt
