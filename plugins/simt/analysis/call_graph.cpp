#include "simt/analysis/call_graph.h"

#include <algorithm>
#include <iterator>

#include "llvm/ADT/DenseMap.h"
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

// Returns those of `functions` from which calls lead into a cycle. Few do, so that the search for the way back from each
// does not take time with the square of the functions.
std::vector<llvm::Function*> functions_before_cycles(std::span<llvm::Function* const> functions) {
  llvm::DenseMap<llvm::Function*, std::vector<llvm::Function*>> callers;
  llvm::DenseMap<llvm::Function*, std::size_t> callees;  // not yet known to lead into no cycle
  std::vector<llvm::Function*> left, found;
  for (llvm::Function* const function : functions) {
    for_each_function_in(*function, [&](llvm::Function& callee) {
      callers[&callee].push_back(function);
      ++callees[function];
    });
    if (!callees.contains(function)) left.push_back(function);
  }
  while (!left.empty()) {
    llvm::Function* const function = left.back();
    left.pop_back();
    for (llvm::Function* const caller : callers[function]) {
      if (--callees[caller] == 0) left.push_back(caller);
    }
  }
  std::ranges::copy_if(functions, std::back_inserter(found), [&](auto* function) { return callees[function] != 0; });
  return found;
}

bool calls_itself(llvm::Function& function) {
  llvm::Function* const self = &function;
  bool comes_back = false;
  for (llvm::Function* const reached : functions_of(std::span(&self, 1))) {
    for_each_function_in(*reached, [&](const llvm::Function& named) { comes_back = comes_back || &named == self; });
  }
  return comes_back;
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

std::vector<llvm::Function*> recursive_functions(std::span<llvm::Function* const> functions) {
  std::vector<llvm::Function*> found = functions_before_cycles(functions);
  std::erase_if(found, [](llvm::Function* function) { return !calls_itself(*function); });
  return found;
}

}  // namespace kmux::simt
