#include "simt/transforms/inline_assembly.h"

#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace kmux::simt {
namespace {

llvm::Value* call_lane(llvm::IRBuilder<>& builder) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  auto lane = module.getOrInsertFunction("kmux.lane", builder.getInt32Ty());
  auto* const function = llvm::cast<llvm::Function>(lane.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return builder.CreateCall(lane);
}

// Returns the value of a special register of PTX; null for others.
llvm::Value* special_register(llvm::IRBuilder<>& builder, llvm::StringRef name) {
  if (name != "laneid" && !name.starts_with("lanemask_")) return nullptr;
  llvm::Value* const lane = call_lane(builder);
  if (name == "laneid") return lane;
  llvm::Value* const equal = builder.CreateShl(builder.getInt32(1), lane);
  llvm::Value* const less = builder.CreateSub(equal, builder.getInt32(1));
  if (name == "lanemask_eq") return equal;
  if (name == "lanemask_lt") return less;
  if (name == "lanemask_le") return builder.CreateOr(less, equal);
  if (name == "lanemask_gt") return builder.CreateNot(builder.CreateOr(less, equal));
  if (name == "lanemask_ge") return builder.CreateNot(less);
  return nullptr;
}

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

// Replaces a `call` with the text "mov.u32 $0, %NAME;", or with empty text.
void replace(llvm::CallBase& call, const llvm::InlineAsm& assembly) {
  llvm::StringRef text = llvm::StringRef(assembly.getAsmString()).trim();
  if (text.empty()) return replace_empty(call, assembly);
  if (!text.consume_front("mov.u32") && !text.consume_front("mov.b32")) return;
  text = text.trim();
  if (!text.consume_front("$0,") || !text.consume_back(";") || !call.getType()->isIntegerTy(32)) return;
  text = text.trim();
  if (!text.consume_front("%")) return;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* const value = special_register(builder, text);
  if (value == nullptr) return;
  call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

}  // namespace

void replace_assembly(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);  // asm goto ends a block, and is refused
      if (call == nullptr || !call->isInlineAsm()) continue;
      replace(*call, *llvm::cast<llvm::InlineAsm>(call->getCalledOperand()));
    }
  }
}

}  // namespace kmux::simt
