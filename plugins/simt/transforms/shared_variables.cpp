#include "simt/transforms/shared_variables.h"

#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "simt/analysis/annotations.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {

bool is_shared_annotation(const llvm::Constant& text) { return annotation_text(text) == "kmux.shared"; }

namespace {

// Returns the variable that `instruction`, an annotation, marks as shared, or null.
llvm::AllocaInst* shared_variable(const llvm::Instruction& instruction) {
  const auto* const note = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (note == nullptr || note->getIntrinsicID() != llvm::Intrinsic::var_annotation) return nullptr;
  const auto* const text = llvm::dyn_cast<llvm::Constant>(note->getArgOperand(1));
  if (text == nullptr || !is_shared_annotation(*text)) return nullptr;
  return llvm::dyn_cast<llvm::AllocaInst>(note->getArgOperand(0)->stripPointerCasts());
}

}  // namespace

std::vector<llvm::AllocaInst*> shared_variables(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const marked = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (marked != nullptr && marked->hasMetadata(kSharedMark)) variables.push_back(marked);
    llvm::AllocaInst* const noted = shared_variable(instruction);
    if (noted != nullptr && !noted->hasMetadata(kSharedMark)) variables.push_back(noted);
  }
  return variables;
}

void erase_annotations(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto* const note = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (note == nullptr) continue;
    if (note->getIntrinsicID() == llvm::Intrinsic::var_annotation || note->isLifetimeStartOrEnd()) {
      instruction.eraseFromParent();
    }
  }
}

llvm::Instruction* behind_variables(llvm::Function& kernel) {
  return &*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}

// An array without extent and definition is the dynamic shared memory, which has one address whatever its names.
void place_dynamic(llvm::Function& kernel) {
  for (llvm::GlobalVariable& variable : kernel.getParent()->globals()) {
    const auto* const type = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
    if (!variable.isDeclaration() || type == nullptr || type->getNumElements() != 0) continue;
    llvm::convertUsersOfConstantsToInstructions(&variable, &kernel);
    llvm::IRBuilder<> builder(behind_variables(kernel));
    llvm::CallInst* const place = make_call(builder, call::kDynamic, builder.getPtrTy());
    variable.replaceUsesWithIf(place, [&](const llvm::Use& use) {
      const auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return user != nullptr && user->getFunction() == &kernel;
    });
    if (place->use_empty()) place->eraseFromParent();
  }
}

namespace {

// Returns the variables that annotations of the module mark as shared: those at namespace scope, and static ones in
// functions.
std::vector<llvm::GlobalVariable*> shared_globals(const llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> found;
  for_each_annotation(module, [&](const llvm::ConstantStruct& record) {
    auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(record.getOperand(0)->stripPointerCasts());
    if (variable != nullptr && !variable->isDeclaration() && is_shared_annotation(*record.getOperand(1)))
      found.push_back(variable);
  });
  return found;
}

// Gives each function that uses `global` a separate variable for it. By their common mark, these are one variable.
void move_into_functions(llvm::GlobalVariable& global) {
  llvm::convertUsersOfConstantsToInstructions(&global);
  llvm::Metadata* const name = llvm::MDString::get(global.getContext(), llvm::demangle(global.getName().str()));
  llvm::MDNode* const mark = llvm::MDNode::getDistinct(global.getContext(), name);
  llvm::DenseMap<llvm::Function*, llvm::AllocaInst*> own;
  for (llvm::Use& use : llvm::make_early_inc_range(global.uses())) {
    auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (user == nullptr) continue;
    llvm::AllocaInst*& variable = own[user->getFunction()];
    if (variable == nullptr) {
      llvm::IRBuilder<> builder(&*user->getFunction()->getEntryBlock().begin());
      variable = builder.CreateAlloca(global.getValueType());
      variable->setAlignment(global.getAlign().valueOrOne());
      variable->setMetadata(kSharedMark, mark);
    }
    use.set(variable);
  }
  if (global.use_empty()) global.eraseFromParent();
}

}  // namespace

void place_shared_globals(llvm::Module& module) {
  llvm::GlobalVariable* const notes = module.getGlobalVariable("llvm.global.annotations");
  if (notes == nullptr) return;
  const std::vector<llvm::GlobalVariable*> variables = shared_globals(module);
  notes->eraseFromParent();  // they refer to the variables and have no other readers
  for (llvm::GlobalVariable* const variable : variables) move_into_functions(*variable);
}

namespace {

/// Numbers shared variables; those with the same mark have one number.
class SharedNumbers {
 public:
  void place(llvm::Function& function) {
    const std::vector<llvm::AllocaInst*> variables = shared_variables(function);
    if (!variables.empty()) erase_annotations(function);
    for (llvm::AllocaInst* const variable : variables) {
      llvm::IRBuilder<> builder(variable);
      const std::uint64_t number = number_of(*variable, function);
      variable->replaceAllUsesWith(make_call(builder, call::kShared, builder.getPtrTy(), builder.getInt64(number)));
      variable->eraseFromParent();
    }
  }
  std::vector<SharedVariable> take() { return std::move(all_); }

 private:
  static std::string name_of(const llvm::AllocaInst& variable, const llvm::MDNode* mark) {
    if (mark == nullptr || mark->getNumOperands() == 0) return variable.getName().str();
    return llvm::cast<llvm::MDString>(mark->getOperand(0))->getString().str();
  }
  std::uint64_t number_of(const llvm::AllocaInst& variable, const llvm::Function& function) {
    const llvm::MDNode* const mark = variable.getMetadata(kSharedMark);
    if (const auto known = numbers_.find(mark); mark != nullptr && known != numbers_.end()) {
      all_[known->second].functions.push_back(&function);
      return known->second;
    }
    if (mark != nullptr) numbers_[mark] = all_.size();
    all_.push_back({name_of(variable, mark),
                    variable.getAllocationSize(function.getDataLayout())->getFixedValue(),
                    variable.getAlign().value(),
                    {&function}});
    return all_.size() - 1;
  }

  std::vector<SharedVariable> all_;
  llvm::DenseMap<const llvm::MDNode*, std::uint64_t> numbers_;
};

}  // namespace

std::vector<SharedVariable> number_shared(std::span<llvm::Function* const> functions) {
  SharedNumbers numbers;
  for (llvm::Function* const function : functions) {
    numbers.place(*function);
    place_dynamic(*function);
  }
  return numbers.take();
}

}  // namespace kmux::simt
