#include "simt/ptx/addresses.h"

#include "simt/analysis/thread_calls.h"
#include "simt/ptx/instruction.h"

namespace kmux::simt::ptx {
namespace {

// Returns the generic address whose lower 32 bits are `low`.
Value* completed(llvm::IRBuilder<>& builder, Value* low) {
  // An integer, as it may be the address of any shared variable.
  Value* const known =
      builder.CreatePtrToInt(make_call(builder, call::kDynamic, builder.getPtrTy()), builder.getInt64Ty());
  Value* const distance = builder.CreateSub(low, builder.CreateTrunc(known, builder.getInt32Ty()));
  Value* const whole = builder.CreateAdd(known, builder.CreateSExt(distance, builder.getInt64Ty()));
  return builder.CreateIntToPtr(whole, builder.getPtrTy());
}

Result<Value*> as_pointer(llvm::IRBuilder<>& builder, Value* value, bool is_shared) {
  llvm::Type* const type = value->getType();
  if (type->isPointerTy()) return value;
  const unsigned bits = bits_of(type);
  if (bits != 64 && !(bits == 32 && is_shared)) return Instruction::refuse("its address has not 64 bits");
  Value* const whole = with_type(builder, value, builder.getIntNTy(bits));
  if (!is_shared) return builder.CreateIntToPtr(whole, builder.getPtrTy());
  return completed(builder, builder.CreateTrunc(whole, builder.getInt32Ty()));
}

}  // namespace

bool take_shared(Instruction& instruction) {
  return instruction.take_any({"shared", "shared::cta", "shared::cluster"}) < 3;
}

Result<Value*> register_address(Emitter& emitter, const Operand& operand, bool is_shared) {
  KMUX_ASSIGN(Value* const value, emitter.read_whole(operand));
  return as_pointer(emitter.builder(), value, is_shared);
}

Result<Value*> address(Emitter& emitter, const Operand& operand, bool is_shared) {
  if (operand.kind != Operand::Kind::kAddress || operand.parts.size() != 1)
    return Instruction::refuse("its operand is not a plain address");
  KMUX_ASSIGN(Value* const base, register_address(emitter, operand.parts.front(), is_shared));
  if (operand.bits == 0) return base;
  return emitter.builder().CreateGEP(emitter.builder().getInt8Ty(), base, emitter.builder().getInt64(operand.bits));
}

}  // namespace kmux::simt::ptx
