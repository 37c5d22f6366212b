#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace kmux::simt {

/// Implements calls of "kmux.scale." (thread_calls.h) with AVX-512, in vectors as wide as `machine` prefers.
class ScalesPass : public llvm::PassInfoMixin<ScalesPass> {
 public:
  explicit ScalesPass(const llvm::TargetMachine& machine) : machine_(machine) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

 private:
  const llvm::TargetMachine& machine_;
};

}  // namespace kmux::simt
