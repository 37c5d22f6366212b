#include "simt/transforms/endless_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace kmux::simt {
namespace {

// Returns a variable that is not 0. It is read as volatile, so that no optimiser can infer its value.
llvm::GlobalVariable& endless(llvm::Module& module) {
  constexpr llvm::StringRef kName = "kmux.endless";
  if (llvm::GlobalVariable* const known = module.getGlobalVariable(kName, /*AllowInternal=*/true)) return *known;
  llvm::Type* const i8 = llvm::Type::getInt8Ty(module.getContext());
  return *new llvm::GlobalVariable(module, i8, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                   llvm::ConstantInt::get(i8, 1), kName);
}

// Adds a test to each iteration of the loop that begins with `header`, by which it could exit.
void add_exit(llvm::BasicBlock& header) {
  llvm::Function& kernel = *header.getParent();
  llvm::BasicBlock* const rest = llvm::SplitBlock(&header, &*header.getFirstNonPHIIt());
  llvm::BasicBlock* const exit = llvm::BasicBlock::Create(kernel.getContext(), "never", &kernel);
  llvm::ReturnInst::Create(kernel.getContext(), exit);
  llvm::Instruction* const end = header.getTerminator();
  llvm::IRBuilder<> builder(end);
  llvm::Value* const goes_on =
      builder.CreateLoad(builder.getInt8Ty(), &endless(*kernel.getParent()), /*isVolatile=*/true);
  builder.CreateCondBr(builder.CreateIsNotNull(goes_on), rest, exit);
  end->eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses EndlessLoopExitsPass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<llvm::BasicBlock*> headers;
  for (const llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(kernel).getLoopsInPreorder()) {
    if (loop->hasNoExitBlocks()) headers.push_back(loop->getHeader());
  }
  for (llvm::BasicBlock* const header : headers) add_exit(*header);
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
