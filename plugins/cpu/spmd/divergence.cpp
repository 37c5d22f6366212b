#include "spmd/divergence.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

bool is_own_call(const llvm::CallInst& call) {
  const std::string_view name = called(&call);
  if (name == call::kShuffle || name == call::kLane || name.starts_with("kmux.thread.")) return true;
  if (!name.empty() || llvm::isa<llvm::IntrinsicInst>(call)) return false;
  return true;  // each lane makes it for itself
}

bool is_own_to_warp(const llvm::Value* value) { return calls(value, call::kBallot) || is_warp_index(value); }

class Lanes final : public llvm::TargetTransformInfoImplCRTPBase<Lanes> {
 public:
  Lanes(const llvm::DataLayout& layout, bool in_step) : TargetTransformInfoImplCRTPBase(layout), in_step_(in_step) {}

  bool hasBranchDivergence(const llvm::Function* = nullptr) { return true; }
  bool isSourceOfDivergence(const llvm::Value* value) {
    if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value)) return true;
    if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(value)) return !load->isUnordered();
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(value);
    if (call == nullptr) return false;
    return (in_step_ && is_own_to_warp(call)) || is_own_call(*call);
  }
  bool isAlwaysUniform(const llvm::Value* value) {
    return calls(value, call::kAll) || (calls(value, call::kBallot) && !in_step_);
  }

 private:
  bool in_step_;
};

}  // namespace

llvm::TargetIRAnalysis divergence(bool in_step) {
  return llvm::TargetIRAnalysis([in_step](const llvm::Function& function) {
    return llvm::TargetTransformInfo(Lanes(function.getDataLayout(), in_step));
  });
}

void register_divergence(llvm::FunctionAnalysisManager& analyses, bool in_step) {
  analyses.registerPass([in_step] { return divergence(in_step); });
}

}  // namespace kmux::cpu::spmd
