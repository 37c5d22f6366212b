// Arithmetic of f16 and bf16, also packed: in float, which has more than twice the precision, and rounded once.
#include "llvm/IR/Intrinsics.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace halves {
namespace {

namespace intrinsic = llvm::Intrinsic;
using Values = std::vector<Value*>;

/// The modifiers of an instruction on halves.
struct Modifiers {
  bool flushes = false, saturates = false, is_rectified = false, keeps_nan = false, is_signed = false;
};

// Returns the bits of a half, or a zero of its sign if it is subnormal.
Value* flushed_half(Builder& builder, Value* bits, Type type) {
  Value* const exponent = builder.CreateAnd(bits, builder.getInt16(type.kind == Type::Kind::kFloat ? 0x7c00 : 0x7f80));
  Value* const zero = builder.CreateAnd(bits, builder.getInt16(0x8000));
  return builder.CreateSelect(builder.CreateICmpEQ(exponent, builder.getInt16(0)), zero, bits);
}

// Returns a * b + c as a float that rounds to the same half.
Value* fused(Builder& builder, const Values& x, Type type) {
  if (type.kind == Type::Kind::kFloat) {  // the product is exact in float
    Value* const product = builder.CreateFMul(x[0], x[1]);
    Value* const sum = builder.CreateFAdd(product, x[2]);
    return odd_sum(builder, sum, error_of_sum(builder, product, x[2], sum));
  }
  const auto wide = [&](Value* value) { return builder.CreateFPExt(value, builder.getDoubleTy()); };
  Value* const product = builder.CreateFMul(wide(x[0]), wide(x[1]));
  Value* const other = wide(x[2]);
  Value* const sum = builder.CreateFAdd(product, other);
  return odd_float(builder, sum, error_of_sum(builder, product, other, sum));
}

// Returns the result of floats as a float; null for other functions.
Value* of_floats(Builder& builder, std::string_view name, const Values& x, Type type, const Modifiers& modifiers) {
  if (name == "add") return builder.CreateFAdd(x[0], x[1]);
  if (name == "sub") return builder.CreateFSub(x[0], x[1]);
  if (name == "mul") return builder.CreateFMul(x[0], x[1]);
  if (name == "fma") return fused(builder, x, type);
  if (name == "min" || name == "max") return extreme(builder, x[0], x[1], name == "max", modifiers.keeps_nan);
  if (name == "ex2") return builder.CreateUnaryIntrinsic(intrinsic::exp2, x[0]);
  return name == "tanh" ? builder.CreateUnaryIntrinsic(intrinsic::tanh, x[0]) : nullptr;
}

Value* signless(Builder& builder, Value* bits) { return builder.CreateAnd(bits, builder.getInt16(0x7fff)); }

// Returns the result for one element, of bits as are its operands.
Value* of_element(Builder& builder, std::string_view name, Values bits, Type type, const Modifiers& modifiers) {
  if (modifiers.flushes) {
    for (Value*& one : bits) one = flushed_half(builder, one, type);
  }
  if (name == "neg") return builder.CreateXor(bits[0], builder.getInt16(0x8000));
  if (name == "abs") return signless(builder, bits[0]);
  Value* const sign = modifiers.is_signed ? builder.CreateXor(bits[0], bits[1]) : nullptr;
  Values floats;
  for (Value* const one : bits) {
    floats.push_back(float_of_half(builder, modifiers.is_signed ? signless(builder, one) : one, type));
  }
  Value* x = of_floats(builder, name, floats, type, modifiers);
  if (modifiers.saturates) x = saturated(builder, x);
  Value* result = half_of_float(builder, x, type);
  if (modifiers.flushes) result = flushed_half(builder, result, type);
  if (modifiers.is_rectified) {
    Value* const is_number = builder.CreateFCmpORD(x, x);
    Value* const is_below = builder.CreateICmpSLT(result, builder.getInt16(0));
    result = builder.CreateSelect(builder.CreateAnd(is_number, is_below), builder.getInt16(0), result);
  }
  if (sign == nullptr) return result;
  return builder.CreateOr(signless(builder, result), builder.CreateAnd(sign, builder.getInt16(0x8000)));
}

Values element_of(Builder& builder, const Values& packed, unsigned element) {
  Values bits;
  for (Value* const one : packed) {
    bits.push_back(part_of(builder, one, 16 * element, 16));
  }
  return bits;
}

std::size_t operands_of(std::string_view name) {
  if (name == "fma") return 3;
  return name == "neg" || name == "abs" || name == "ex2" || name == "tanh" ? 1 : 2;
}

// Takes the parts that the function `name` may have.
Result<Modifiers> modifiers_of(Instruction& in, std::string_view name) {
  Modifiers modifiers;
  const bool is_sum = name == "add" || name == "sub" || name == "mul" || name == "fma";
  const bool is_extreme = name == "min" || name == "max";
  if (is_sum) in.take("rn");
  modifiers.flushes = in.take("ftz");
  modifiers.saturates = is_sum && in.take("sat");
  modifiers.is_rectified = name == "fma" && in.take("relu");
  modifiers.keeps_nan = is_extreme && in.take("NaN");
  modifiers.is_signed = is_extreme && in.take("xorsign");
  if (modifiers.is_signed && !in.take("abs")) return in.refuse(R"(".xorsign" comes with ".abs")");
  if ((name == "ex2" || name == "tanh") && !in.take("approx")) return in.refuse("it lacks \".approx\"");
  return modifiers;
}

Status emit(Instruction& in, std::string_view name, Type type) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul", "fma", "min", "max", "neg", "abs", "ex2", "tanh"};
  if (std::ranges::find(kNames, name) == std::end(kNames)) return in.refuse("this type is not supported");
  KMUX_ASSIGN(const Modifiers modifiers, modifiers_of(in, name));
  KMUX_ASSIGN(const Values v, in.sources(operands_of(name), type));
  Builder& builder = in.builder();
  if (type.count == 1) return in.write(of_element(builder, name, v, type, modifiers));
  Value* const low = of_element(builder, name, element_of(builder, v, 0), type, modifiers);
  Value* const high = of_element(builder, name, element_of(builder, v, 1), type, modifiers);
  return in.write(concatenated(builder, low, high));
}

}  // namespace
}  // namespace halves

Status emit_half(Instruction& instruction, std::string_view name, Type type) {
  return halves::emit(instruction, name, type);
}

}  // namespace kmux::simt::ptx
