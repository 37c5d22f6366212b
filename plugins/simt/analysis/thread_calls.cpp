#include "simt/analysis/thread_calls.h"

#include <algorithm>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {

std::string_view called(const llvm::Value* value) {
  const auto* const call = llvm::dyn_cast_or_null<llvm::CallInst>(value);
  if (call == nullptr || call->getCalledFunction() == nullptr) return "";
  llvm::StringRef name = call->getCalledFunction()->getName();
  if (!name.starts_with("kmux.")) return "";
  name.consume_back(call::kOfWideWarp);
  return {name.data(), name.size()};
}

unsigned number_of(const llvm::Argument& argument, const char* attribute) {
  unsigned number = 0;
  const llvm::Attribute written =
      argument.getParent()->getAttributeAtIndex(llvm::AttributeList::FirstArgIndex + argument.getArgNo(), attribute);
  if (written.isValid()) written.getValueAsString().getAsInteger(10, number);
  return number;
}

namespace {

// Returns the divisor of `one`, a quotient or a remainder by a power of two, or 0.
std::uint64_t divisor_of(const llvm::Instruction& one) {
  const auto* const constant =
      one.getNumOperands() == 2 ? llvm::dyn_cast<llvm::ConstantInt>(one.getOperand(1)) : nullptr;
  if (constant == nullptr || constant->getBitWidth() > 64) return 0;
  const std::uint64_t number = constant->getZExtValue();
  if (one.getOpcode() == llvm::Instruction::And) return number + 1;
  if (one.isLogicalShift() || one.getOpcode() == llvm::Instruction::AShr)
    return one.getOpcode() != llvm::Instruction::Shl && number < 32 ? std::uint64_t{1} << number : 0;
  const auto* const division = llvm::dyn_cast<llvm::BinaryOperator>(&one);
  return division != nullptr && division->isIntDivRem() ? number : 0;
}

// Visits the users of `index` and of its casts, but not the casts.
void for_each_use(const llvm::Value& index, llvm::function_ref<void(const llvm::Instruction&)> visit) {
  for (const llvm::User* const user : index.users()) {
    const auto& one = *llvm::cast<llvm::Instruction>(user);
    if (llvm::isa<llvm::CastInst, llvm::FreezeInst>(one)) {
      for_each_use(one, visit);
    } else {
      visit(one);
    }
  }
}

}  // namespace

unsigned seen_row(const llvm::Function& kernel) {
  const bool is_wide = kernel.getFnAttribute("target-features").getValueAsString().contains("+avx512f");
  unsigned seen = 0;
  for (const llvm::Instruction& index : llvm::instructions(kernel)) {
    if (!calls(&index, call::kThread[0])) continue;
    for_each_use(index, [&](const llvm::Instruction& one) {
      const std::uint64_t row = divisor_of(one);
      if (row == 16 || (row == 8 && !is_wide))
        seen = seen == 0 ? static_cast<unsigned>(row) : std::min(seen, static_cast<unsigned>(row));
    });
  }
  return seen;
}

bool is_of_block(const llvm::Value* address) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(address, objects);
  return llvm::all_of(
      objects, [](const llvm::Value* object) { return calls(object, call::kShared) || calls(object, call::kDynamic); });
}

bool has_call(const llvm::Function& function, std::string_view name) {
  return std::ranges::any_of(llvm::instructions(function), [&](const auto& one) { return calls(&one, name); });
}

void replace_calls(llvm::Function& function, std::string_view name, llvm::Value* with) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!calls(&instruction, name) || &instruction == with) continue;
    instruction.replaceAllUsesWith(with);
    instruction.eraseFromParent();
  }
}

void replace_shared(llvm::Function& function, llvm::Value* memory) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!calls(&instruction, call::kShared)) continue;
    llvm::IRBuilder<> here(&instruction);
    llvm::Value* const offset = llvm::cast<llvm::CallInst>(instruction).getArgOperand(0);
    instruction.replaceAllUsesWith(here.CreateInBoundsGEP(here.getInt8Ty(), memory, offset));
    instruction.eraseFromParent();
  }
}

llvm::CallInst* make_call(llvm::IRBuilder<>& builder, std::string_view name, llvm::Type* result,
                          llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee function = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  if (auto* const declared = llvm::dyn_cast<llvm::Function>(function.getCallee()); !result->isVoidTy()) {
    declared->setDoesNotAccessMemory();
    declared->setDoesNotThrow();
    declared->setWillReturn();
  }
  return builder.CreateCall(function, arguments);
}

std::string location_of(const llvm::Instruction& instruction) {
  const std::string place = place_of(instruction.getDebugLoc().get());
  return place.empty() ? "." : " (" + place + ").";
}

}  // namespace kmux::simt
