#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Expands saturating casts of `kernel` from floating-point numbers to integers into instructions that have vector
/// forms.
struct ExpandCastsPass : llvm::PassInfoMixin<ExpandCastsPass> {
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);
};

/// Expands bitcasts of vectors in `kernel` into operations on their elements, so that elements can replace the vectors.
struct ExpandVectorCastsPass : llvm::PassInfoMixin<ExpandVectorCastsPass> {
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);
};

/// Checks that no thread of `kernel` computes with a vector, which `vectorize` cannot vectorize.
///
/// Errors: unsupported if a thread has a vector.
Status check_scalars(const llvm::Function& kernel);

}  // namespace kmux::simt
