#include "simt/link/written_variables.h"

#include <algorithm>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "simt/analysis/annotations.h"
#include "simt/analysis/names.h"
#include "simt/transforms/shared_variables.h"

namespace kmux::simt {
namespace {

using Values = llvm::SmallPtrSet<const llvm::Value*, 16>;

// Returns true if `variable` only names its contents: LLVM's own lists, and variables that point to a source's
// constants.
bool only_names(const llvm::GlobalVariable& variable) {
  return variable.getName().starts_with("llvm.") || variable.getName().starts_with(kConstantSymbol);
}

bool passes_address_on(const llvm::User& user) {
  return llvm::isa<llvm::GEPOperator, llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::PHINode,
                   llvm::SelectInst, llvm::ConstantAggregate>(user);
}

bool may_write(const llvm::Value& place, Values& seen);

bool may_write(const llvm::Use& use, Values& seen) {
  const llvm::User& user = *use.getUser();
  if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user)) return false;
  if (passes_address_on(user)) return may_write(user, seen);
  if (const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(&user)) return !only_names(*variable);
  if (llvm::isa<llvm::MemTransferInst>(user)) return use.getOperandNo() == 0;
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&user);
  if (call == nullptr || !call->isArgOperand(&use)) return true;
  const unsigned argument = call->getArgOperandNo(&use);
  return !call->doesNotCapture(argument) || !call->onlyReadsMemory(argument);
}

// Returns true if the module may do more with the memory at `place` than read it. An address that escapes counts.
bool may_write(const llvm::Value& place, Values& seen) {
  if (!seen.insert(&place).second) return false;
  return llvm::any_of(place.uses(), [&](const llvm::Use& use) { return may_write(use, seen); });
}

// Returns the variables annotated as shared by a block or constant. Neither keeps a value beyond a launch.
Values noted(const llvm::Module& module) {
  Values found;
  for_each_annotation(module, [&](const llvm::ConstantStruct& record) {
    const llvm::Constant& text = *record.getOperand(1);
    if (is_shared_annotation(text) || annotation_text(text) == "kmux.constant")
      found.insert(record.getOperand(0)->stripPointerCasts());
  });
  return found;
}

}  // namespace

std::vector<std::string> written_variables(const llvm::Module& module) {
  const Values excluded = noted(module);
  std::vector<std::string> names;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || variable.isConstant() || only_names(variable)) continue;
    Values seen;
    if (!excluded.contains(&variable) && may_write(variable, seen))
      names.push_back(llvm::demangle(variable.getName().str()));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace kmux::simt
