#include "simt/check/flat_copy.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Support/Error.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

// Neither pass moves an operation over a call. Callees are simplified first: promotion takes time with the square of a
// function's variables.
constexpr llvm::StringRef kInline =
    "globaldce,cgscc(inline<only-mandatory>,function(sroa,early-cse,simplifycfg)),globaldce,"
    "function(loop-simplify,loop-mssa(loop-rotate))";
constexpr llvm::StringRef kUnroll = "function(loop(indvars,loop-unroll-full),sroa,early-cse,simplifycfg)";

bool calls_function(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& one) { return !called(&one).empty(); });
  });
}

// Has loops over registers unrolled, however many rounds they have: an array whose index is not known stays in memory.
struct MarkLoopsOverRegisters : llvm::PassInfoMixin<MarkLoopsOverRegisters> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (!calls_function(*loop)) llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
    }
    return llvm::PreservedAnalyses::all();
  }
};

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
  llvm::cantFail(analyses.builder.parsePassPipeline(passes, kInline));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(MarkLoopsOverRegisters()));
  llvm::cantFail(analyses.builder.parsePassPipeline(passes, kUnroll));
  passes.run(*copy, analyses.modules);
  return copy;
}

}  // namespace kmux::simt
