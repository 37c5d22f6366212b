#include "simt/check/flat_copy.h"

#include "llvm/Support/Error.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "simt/analysis/divergence.h"

namespace kmux::simt {
namespace {

// Neither pass moves an operation over a call. Callees are simplified first: promotion takes time with the square of a
// function's variables.
constexpr llvm::StringRef kPasses =
    "globaldce,cgscc(inline<only-mandatory>,function(sroa,early-cse,simplifycfg)),globaldce,"
    "function(loop-simplify,loop-mssa(loop-rotate),loop(indvars,loop-unroll-full),sroa,early-cse,simplifycfg)";

void inline_always(llvm::Function& function) {
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
}

}  // namespace

std::unique_ptr<llvm::Module> flat_copy(const llvm::Module& module, std::span<llvm::Function* const> kernels) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  for (llvm::Function& function : *copy) {
    if (!function.isDeclaration()) inline_always(function);
  }
  for (const llvm::Function* const kernel : kernels) {
    llvm::Function* const same = copy->getFunction(kernel->getName());
    same->setLinkage(llvm::GlobalValue::ExternalLinkage);
    same->removeFnAttr(llvm::Attribute::AlwaysInline);
  }
  Analyses analyses;
  analyses.complete();
  llvm::ModulePassManager passes;
  llvm::cantFail(analyses.builder.parsePassPipeline(passes, kPasses));
  passes.run(*copy, analyses.modules);
  return copy;
}

}  // namespace kmux::simt
