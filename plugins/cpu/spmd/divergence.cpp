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

class Lanes final : public llvm::TargetTransformInfoImplCRTPBase<Lanes> {
 public:
  explicit Lanes(const llvm::DataLayout& layout) : TargetTransformInfoImplCRTPBase(layout) {}

  bool hasBranchDivergence(const llvm::Function* = nullptr) { return true; }
  bool isSourceOfDivergence(const llvm::Value* value) {
    if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value)) return true;
    if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(value)) return !load->isUnordered();
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(value);
    return call != nullptr && is_own_call(*call);
  }
  bool isAlwaysUniform(const llvm::Value* value) { return calls(value, call::kBallot) || calls(value, call::kAll); }
};

}  // namespace

llvm::TargetIRAnalysis divergence() {
  return llvm::TargetIRAnalysis(
      [](const llvm::Function& function) { return llvm::TargetTransformInfo(Lanes(function.getDataLayout())); });
}

void register_divergence(llvm::FunctionAnalysisManager& analyses) {
  analyses.registerPass([] { return divergence(); });
}

}  // namespace kmux::cpu::spmd
