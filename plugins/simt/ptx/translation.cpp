#include "simt/ptx/translation.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "simt/ptx/families.h"
#include "simt/ptx/parser.h"

namespace kmux::simt::ptx {
namespace {

const llvm::InlineAsm& assembly_of(const llvm::CallInst& call) {
  return *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
}

Error refused_text(std::string reason) {
  return make_error(ErrorCode::kUnsupported, "which is not for this processor (" + std::move(reason) + ")");
}

bool is_immediate(const llvm::InlineAsm::ConstraintInfo& constraint, const llvm::Value& value) {
  if (constraint.Codes.empty() || !llvm::isa<llvm::Constant>(value)) return false;
  return constraint.Codes.front() == "n" || constraint.Codes.front() == "i";
}

/// The operands of an assembly.
class Operands {
 public:
  explicit Operands(const llvm::CallInst& call) : call_(call), constraints_(assembly_of(call).ParseConstraints()) {}

  /// Returns the immediates among them, which are part of the meaning of the text.
  std::vector<const Value*> immediates() const {
    std::vector<const Value*> found;
    unsigned next = 0;
    for (const auto& one : constraints_) {
      if (one.Type != llvm::InlineAsm::isInput) continue;
      const Value* const value = call_.getArgOperand(next++);
      if (is_immediate(one, *value)) found.push_back(value);
    }
    return found;
  }

  /// Returns them in the order of their numbers, as parameters of `function`.
  Result<std::vector<Argument>> arguments(llvm::Function& function) const {
    std::vector<Argument> all;
    unsigned next = 0, results = 0;
    for (const auto& one : constraints_) {
      if (one.Type == llvm::InlineAsm::isClobber) continue;
      if (one.isIndirect || one.Type == llvm::InlineAsm::isLabel) return refused_text("an operand of it is in memory");
      const bool is_input = one.Type == llvm::InlineAsm::isInput;
      all.push_back(is_input ? input(one, function, next++) : Argument{nullptr, result_type(results++)});
      if (!all.back().type->isSingleValueType()) return refused_text("an operand of it is a structure");
    }
    KMUX_TRY(tie_results(all));
    return all;
  }

 private:
  /// Gives each result that is tied to an operand the value of that.
  Status tie_results(std::vector<Argument>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (constraints_[i].Type != llvm::InlineAsm::isOutput || !constraints_[i].hasMatchingInput()) continue;
      const Argument& tied = all[static_cast<std::size_t>(constraints_[i].MatchingInput)];
      if (bits_of(tied.type) != bits_of(all[i].type)) return refused_text("a result has another size than its operand");
      all[i].value = tied.value;
    }
    return Ok{};
  }
  Argument input(const llvm::InlineAsm::ConstraintInfo& constraint, llvm::Function& function, unsigned number) const {
    Value* const given = call_.getArgOperand(number);
    if (is_immediate(constraint, *given)) return {given, given->getType(), /*is_immediate=*/true};
    return {function.getArg(number), given->getType()};
  }
  llvm::Type* result_type(unsigned number) const {
    const auto* const all = llvm::dyn_cast<llvm::StructType>(call_.getType());
    return all == nullptr ? call_.getType() : all->getElementType(number);
  }

  const llvm::CallInst& call_;
  const llvm::InlineAsm::ConstraintInfoVector constraints_;
};

Status emit_statement(Emitter& emitter, const Statement& statement) {
  KMUX_ASSIGN(const Family* const family, family_of(statement));
  Instruction instruction(emitter, statement);
  if (statement.guard.empty() || statement.parts.front() == "bra") return family->emit(instruction);
  KMUX_TRY(emitter.begin_guard(statement.guard.front(), family->effect == Family::Effect::kNone));
  KMUX_TRY(family->emit(instruction));
  emitter.end_guard();
  return Ok{};
}

Error with_instruction(const Statement& statement, const Error& error) {
  return make_error(ErrorCode::kUnsupported, "whose instruction \"" + statement.mnemonic +
                                                 "\" is not for this processor (" + error.message + ")");
}

Status emit_statements(Emitter& emitter) {
  const std::vector<Statement>& all = emitter.text().statements;
  for (std::size_t i = 0; i < all.size(); ++i) {
    emitter.begin_statement(i);
    const Status status = emit_statement(emitter, all[i]);
    if (!status) return with_instruction(all[i], status.error());
  }
  emitter.begin_statement(all.size());
  return Ok{};
}

void emit_return(Emitter& emitter, llvm::Type& type) {
  llvm::IRBuilder<>& builder = emitter.builder();
  if (type.isVoidTy()) {
    builder.CreateRetVoid();
    return;
  }
  if (!type.isStructTy()) {
    builder.CreateRet(emitter.result(0));
    return;
  }
  Value* all = llvm::PoisonValue::get(&type);
  for (unsigned i = 0; i < type.getStructNumElements(); ++i)
    all = builder.CreateInsertValue(all, emitter.result(i), i);  // results are the first operands
  builder.CreateRet(all);
}

// Replaces the variables of registers by values; others have an address that a unit gets.
void promote(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& one : function.getEntryBlock()) {
    auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&one);
    if (variable != nullptr && llvm::isAllocaPromotable(variable)) variables.push_back(variable);
  }
  if (variables.empty()) return;
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
}

Status emit_body(llvm::Function& function, const Text& text, const Operands& operands) {
  KMUX_ASSIGN(const std::vector<Argument> arguments, operands.arguments(function));
  Emitter emitter(function, text, arguments);
  KMUX_TRY(emit_statements(emitter));
  emit_return(emitter, *function.getReturnType());
  llvm::EliminateUnreachableBlocks(function);
  promote(function);
  return Ok{};
}

}  // namespace

Translation::~Translation() {
  for (const auto& [key, function] : functions_) function->eraseFromParent();
}

Result<llvm::Function*> Translation::function_of(llvm::CallInst& call) {
  const Operands operands(call);
  const Key key{call.getCalledOperand(), operands.immediates()};
  if (const auto found = functions_.find(key); found != functions_.end()) return found->second;
  const Result<Text> text = parse(assembly_of(call).getAsmString());
  if (!text) return refused_text(text.error().message);
  llvm::Function* const function =
      llvm::Function::Create(call.getFunctionType(), llvm::GlobalValue::InternalLinkage, "kmux.ptx", call.getModule());
  const Status status = emit_body(*function, *text, operands);
  if (!status) {
    function->eraseFromParent();
    return status.error();
  }
  return functions_[key] = function;
}

Status Translation::replace(llvm::CallInst& call) {
  KMUX_ASSIGN(llvm::Function* const function, function_of(call));
  llvm::IRBuilder<> builder(&call);
  const llvm::SmallVector<Value*> values(call.args());
  llvm::CallInst* const made = builder.CreateCall(function, values);
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*made, info);
  return Ok{};
}

}  // namespace kmux::simt::ptx
