#include "simt/analysis/call_graph.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {
namespace {

// The attribute of functions with a body whose address is taken in a kernel of the program or its callees.
constexpr const char* kPointed = "kmux-pointed";

bool calls_pointer(const llvm::Instruction& instruction) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && call->isIndirectCall();
}

// Visits the functions with a body that `function` names, and those that it may call through a pointer.
void for_each_function_in(llvm::Function& function, llvm::function_ref<void(llvm::Function&)> visit) {
  const auto visit_defined = [&](llvm::Function& named) {
    if (!named.isDeclaration()) visit(named);
  };
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::Use& operand : instruction.operands()) for_each_named(*operand, visit_defined);
  }
  if (llvm::none_of(llvm::instructions(function), calls_pointer)) return;
  for (llvm::Function& pointed : *function.getParent()) {
    if (pointed.hasFnAttribute(kPointed)) visit_defined(pointed);
  }
}

bool is_callee(const llvm::Use& operand) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(operand.getUser());
  return call != nullptr && call->isCallee(&operand);
}

}  // namespace

void for_each_named(llvm::Value& value, llvm::function_ref<void(llvm::Function&)> visit) {
  llvm::SmallVector<llvm::Value*> left{&value};
  llvm::SmallPtrSet<llvm::Value*, 8> seen;
  while (!left.empty()) {
    auto* const constant = llvm::dyn_cast<llvm::Constant>(left.pop_back_val());
    if (constant == nullptr || !seen.insert(constant).second) continue;
    if (auto* const function = llvm::dyn_cast<llvm::Function>(constant)) {
      visit(*function);
    } else {
      left.append(constant->op_begin(), constant->op_end());  // of a variable: its initial value
    }
  }
}

void mark_pointed(std::span<llvm::Function* const> kernels) {
  for (llvm::Function* const function : functions_of(kernels)) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      for (llvm::Use& operand : instruction.operands()) {
        if (!is_callee(operand)) for_each_named(*operand, [](llvm::Function& named) { named.addFnAttr(kPointed); });
      }
    }
  }
}

std::vector<llvm::Function*> functions_of(std::span<llvm::Function* const> kernels) {
  llvm::SetVector<llvm::Function*> found(kernels.begin(), kernels.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for_each_function_in(*found[i], [&](llvm::Function& function) { found.insert(&function); });
  }
  return {found.begin(), found.end()};
}

bool calls_itself(llvm::Function& function) {
  llvm::Function* const self = &function;
  bool comes_back = false;
  for (llvm::Function* const reached : functions_of(std::span(&self, 1))) {
    for_each_function_in(*reached, [&](const llvm::Function& named) { comes_back = comes_back || &named == self; });
  }
  return comes_back;
}

}  // namespace kmux::simt
