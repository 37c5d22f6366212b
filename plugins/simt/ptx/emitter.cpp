#include "simt/ptx/emitter.h"

#include <algorithm>

namespace kmux::simt::ptx {

using Kind = Operand::Kind;

llvm::BasicBlock* add_block(llvm::IRBuilder<>& builder) {
  return llvm::BasicBlock::Create(builder.getContext(), "", builder.GetInsertBlock()->getParent());
}

Value* add_array(llvm::IRBuilder<>& builder, llvm::Type* element, unsigned count) {
  llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  return at_entry.CreateAlloca(llvm::ArrayType::get(element, count));
}

llvm::Type* llvm_type(llvm::LLVMContext& context, Type type) {
  if (type.kind == Type::Kind::kFloat && type.count == 1) {
    if (type.bits == 32) return llvm::Type::getFloatTy(context);
    if (type.bits == 64) return llvm::Type::getDoubleTy(context);
  }
  return llvm::Type::getIntNTy(context, type.whole());
}

unsigned bits_of(const llvm::Type* type) {
  return type->isPointerTy() ? 64 : static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
}

Value* with_type(llvm::IRBuilder<>& builder, Value* value, llvm::Type* type) {
  if (value->getType() == type) return value;
  if (value->getType()->isPointerTy()) value = builder.CreatePtrToInt(value, builder.getInt64Ty());
  if (!type->isPointerTy()) return builder.CreateBitCast(value, type);
  return builder.CreateIntToPtr(builder.CreateBitCast(value, builder.getInt64Ty()), type);
}

namespace {

Error refused(std::string message) { return make_error(ErrorCode::kUnsupported, std::move(message)); }

std::string name_of(const Operand& operand, const Text& text) {
  if (operand.kind == Kind::kRegister) return text.registers[operand.index].name;
  if (operand.kind == Kind::kArgument) return "%" + std::to_string(operand.index);
  return operand.kind == Kind::kSpecial ? "%" + operand.name : operand.name;
}

}  // namespace

Emitter::Emitter(llvm::Function& function, const Text& text, std::span<const Argument> arguments)
    : text_(text), arguments_(arguments), function_(function), builder_(function.getContext()) {
  llvm::LLVMContext& context = function.getContext();
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context, "", &function));
  for (const Register& one : text.registers) types_.push_back(llvm_type(context, one.type));
  for (const Argument& one : arguments) types_.push_back(one.type);
  types_.push_back(builder_.getInt1Ty());
  for (llvm::Type* const type : types_) values_.push_back(llvm::Constant::getNullValue(type));
  const auto first = static_cast<std::ptrdiff_t>(text.registers.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].value != nullptr) values_[static_cast<std::size_t>(first) + i] = arguments[i].value;
  }
  if (text.labels.empty()) return;
  for (Value*& value : values_) {
    llvm::AllocaInst* const variable = builder_.CreateAlloca(value->getType());
    builder_.CreateStore(value, variable);
    value = variable;
  }
  for (std::size_t i = 0; i < text.labels.size(); ++i)
    blocks_.push_back(llvm::BasicBlock::Create(context, "", &function));
}

Value* Emitter::get(unsigned slot) {
  return blocks_.empty() ? values_[slot] : builder_.CreateLoad(types_[slot], values_[slot]);
}

void Emitter::set(unsigned slot, Value* value) {
  if (guard_ != nullptr) {
    value = builder_.CreateSelect(guard_, value, with_type(builder_, get(slot), value->getType()));
  }
  if (blocks_.empty()) {
    if (skipped_ != nullptr) before_guard_.insert({slot, values_[slot]});
    values_[slot] = value;
  } else {
    builder_.CreateStore(with_type(builder_, value, types_[slot]), values_[slot]);
  }
}

Result<unsigned> Emitter::slot_of(const Operand& operand) const {
  if (operand.kind == Kind::kRegister) return operand.index;
  if (operand.kind == Kind::kArgument && operand.index < arguments_.size())
    return static_cast<unsigned>(text_.registers.size()) + operand.index;
  const std::string name = name_of(operand, text_);
  return refused("operand \"" + name + "\" is not a register");
}

Result<Value*> Emitter::number(const Operand& operand, Type type) {
  llvm::Type* const to = llvm_type(builder_.getContext(), type);
  if (operand.kind == Kind::kInteger) {
    if (!to->isIntegerTy()) return refused("a whole number stands for one with a fraction");
    return llvm::ConstantInt::get(to, operand.bits);
  }
  const bool is_single = operand.kind == Kind::kFloat;
  Value* const value = is_single ? with_type(builder_, builder_.getInt32(static_cast<std::uint32_t>(operand.bits)),
                                             builder_.getFloatTy())
                                 : with_type(builder_, builder_.getInt64(operand.bits), builder_.getDoubleTy());
  if (type == Type{Type::Kind::kFloat, 32}) return builder_.CreateFPCast(value, to);
  if (type.whole() != (is_single ? 32 : 64)) return refused("a number with a fraction has another size than the type");
  return with_type(builder_, value, to);
}

Result<Value*> Emitter::read(const Operand& operand, Type type, bool is_wider_allowed) {
  if (operand.kind == Kind::kInteger || operand.kind == Kind::kFloat || operand.kind == Kind::kDouble)
    return number(operand, type);
  KMUX_ASSIGN(const unsigned slot, slot_of(operand));
  llvm::Type* const to = llvm_type(builder_.getContext(), type);
  Value* value = get(slot);
  const bool is_immediate = operand.kind == Kind::kArgument && arguments_[operand.index].is_immediate;
  if (is_immediate && to->isIntegerTy() && value->getType()->isIntegerTy()) {
    value = builder_.CreateSExtOrTrunc(value, to);
  }
  const unsigned bits = bits_of(value->getType());
  if (is_wider_allowed && bits > type.whole()) {
    value =
        builder_.CreateTrunc(with_type(builder_, value, builder_.getIntNTy(bits)), builder_.getIntNTy(type.whole()));
  } else if (bits != type.whole()) {
    return refused("operand \"" + name_of(operand, text_) + "\" has " + std::to_string(bits) + " bits instead of " +
                   std::to_string(type.whole()));
  }
  if (operand.is_negated && type != kPredicate)
    return refused("\"!\" stands before an operand that is not a predicate");
  value = with_type(builder_, value, to);
  return operand.is_negated ? builder_.CreateNot(value) : value;
}

Result<Value*> Emitter::read_whole(const Operand& operand) {
  if (operand.kind == Kind::kInteger) return builder_.getInt64(operand.bits);
  KMUX_ASSIGN(const unsigned slot, slot_of(operand));
  return get(slot);
}

Status Emitter::write(const Operand& operand, Value* value, const Type* extends_as) {
  if (operand.kind == Kind::kDiscarded) return Ok{};
  KMUX_ASSIGN(const unsigned slot, slot_of(operand));
  const unsigned bits = bits_of(types_[slot]), given = bits_of(value->getType());
  if (extends_as != nullptr && bits > given) {
    value = with_type(builder_, value, builder_.getIntNTy(given));
    llvm::Type* const wide = builder_.getIntNTy(bits);
    value = extends_as->is_signed() ? builder_.CreateSExt(value, wide) : builder_.CreateZExt(value, wide);
  } else if (bits != given) {
    return refused("operand \"" + name_of(operand, text_) + "\" has " + std::to_string(bits) + " bits instead of " +
                   std::to_string(given));
  }
  set(slot, value);
  return Ok{};
}

Status Emitter::begin_guard(const Operand& guard, bool is_pure) {
  KMUX_ASSIGN(Value* const condition, read(guard, kPredicate));
  if (is_pure) {
    guard_ = condition;
    return Ok{};
  }
  unguarded_ = builder_.GetInsertBlock();
  before_guard_.clear();
  auto* const guarded = llvm::BasicBlock::Create(builder_.getContext(), "", &function_);
  skipped_ = llvm::BasicBlock::Create(builder_.getContext(), "", &function_);
  builder_.CreateCondBr(condition, guarded, skipped_);
  builder_.SetInsertPoint(guarded);
  return Ok{};
}

void Emitter::end_guard() {
  guard_ = nullptr;
  if (skipped_ == nullptr) return;
  for (const auto& [slot, before] : before_guard_)
    values_[slot] = with_type(builder_, values_[slot], before->getType());
  llvm::BasicBlock* const guarded = builder_.GetInsertBlock();
  builder_.CreateBr(skipped_);
  builder_.SetInsertPoint(skipped_);
  for (const auto& [slot, before] : before_guard_) {
    llvm::PHINode* const merged = builder_.CreatePHI(before->getType(), 2);
    merged->addIncoming(values_[slot], guarded);
    merged->addIncoming(before, unguarded_);
    values_[slot] = merged;
  }
  skipped_ = nullptr;
}

Status Emitter::jump(unsigned label, const Operand* guard) {
  llvm::BasicBlock* const next = llvm::BasicBlock::Create(builder_.getContext(), "", &function_);
  if (guard == nullptr) {
    builder_.CreateBr(blocks_[label]);
  } else {
    KMUX_ASSIGN(Value* const condition, read(*guard, kPredicate));
    builder_.CreateCondBr(condition, blocks_[label], next);
  }
  builder_.SetInsertPoint(next);
  return Ok{};
}

void Emitter::begin_statement(std::size_t position) {
  for (; next_label_ < text_.labels.size() && text_.labels[next_label_].position == position; ++next_label_) {
    builder_.CreateBr(blocks_[next_label_]);
    builder_.SetInsertPoint(blocks_[next_label_]);
  }
}

Value* Emitter::result(unsigned argument) {
  const auto slot = static_cast<unsigned>(text_.registers.size()) + argument;
  return with_type(builder_, get(slot), types_[slot]);
}

Value* Emitter::carry() { return get(carry_slot()); }

void Emitter::set_carry(Value* value) { set(carry_slot(), value); }

}  // namespace kmux::simt::ptx
