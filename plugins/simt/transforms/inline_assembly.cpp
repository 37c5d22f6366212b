#include "simt/transforms/inline_assembly.h"

#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "simt/analysis/names.h"
#include "simt/ptx/translation.h"

namespace kmux::simt {
namespace {

// Returns the operands of `call` to which its results are tied ("+r"), one per result; empty if a result has none.
std::vector<llvm::Value*> tied_operands(const llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  const auto constraints = assembly.ParseConstraints();
  std::vector<llvm::Value*> given(constraints.size()), tied;
  unsigned next = 0;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const bool is_given = constraints[i].Type == llvm::InlineAsm::isInput || constraints[i].isIndirect;
    if (is_given) given[i] = call.getArgOperand(next++);
  }
  for (const llvm::InlineAsm::ConstraintInfo& one : constraints) {
    if (one.Type != llvm::InlineAsm::isOutput || one.isIndirect) continue;
    if (!one.hasMatchingInput()) return {};
    tied.push_back(given[static_cast<std::size_t>(one.MatchingInput)]);
  }
  return tied;
}

// Returns the value of a `call` with empty text: its results are the operands tied to them. Returns null if a result
// has none.
llvm::Value* unchanged(llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  const std::vector<llvm::Value*> tied = tied_operands(call, assembly);
  if (tied.size() == 1 && tied.front()->getType() == call.getType()) return tied.front();
  const auto* const results = llvm::dyn_cast<llvm::StructType>(call.getType());
  if (results == nullptr || results->getNumElements() != tied.size()) return nullptr;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* all = llvm::PoisonValue::get(call.getType());
  for (unsigned i = 0; i < tied.size(); ++i) {
    if (tied[i]->getType() != results->getElementType(i)) return nullptr;
    all = builder.CreateInsertValue(all, tied[i], i);
  }
  return all;
}

// Replaces a `call` with empty text.
void replace_empty(llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  if (!call.getType()->isVoidTy()) {
    llvm::Value* const value = unchanged(call, assembly);
    if (value == nullptr) return;
    call.replaceAllUsesWith(value);
  }
  call.eraseFromParent();
}

// Replaces `call`, or notes why it has no meaning here.
void replace(llvm::CallInst& call, ptx::Translation& translation) {
  const auto& assembly = *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  if (llvm::StringRef(assembly.getAsmString()).trim().empty()) return replace_empty(call, assembly);
  const Status status = translation.replace(call);
  if (!status) call.addFnAttr(llvm::Attribute::get(call.getContext(), kAssemblyRefusal, status.error().message));
}

// Returns the calls of inline assembly; asm goto ends a block, and is refused.
std::vector<llvm::CallInst*> assembly_in(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && call->isInlineAsm()) calls.push_back(call);
  }
  return calls;
}

}  // namespace

void replace_assembly(llvm::Module& module) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module) {
    const std::vector<llvm::CallInst*> found = assembly_in(function);
    calls.insert(calls.end(), found.begin(), found.end());
  }
  ptx::Translation translation;
  for (llvm::CallInst* const call : calls) replace(*call, translation);
}

}  // namespace kmux::simt
