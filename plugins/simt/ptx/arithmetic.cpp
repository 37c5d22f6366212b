// Arithmetic of integers: add, sub, mul, mad, div, rem, min, max, abs, neg, sad, dp4a, dp2a, and with carry.
#include <functional>

#include "llvm/IR/Intrinsics.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace arithmetic {
namespace {

namespace intrinsic = llvm::Intrinsic;

bool is_wide_enough(Type type) { return type.is_integer() && type.bits >= 16 && type.kind != Type::Kind::kBits; }

// Returns `value` of `type` with `bits` bits.
Value* extended(Builder& builder, Value* value, bool is_signed, unsigned bits) {
  llvm::Type* const wide = builder.getIntNTy(bits);
  return is_signed ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
}

using OfTwo = std::function<Value*(Builder&, Value*, Value*)>;

// Returns `compute` of each element of `a` and `b`.
Value* elementwise(Builder& builder, Type type, Value* a, Value* b, const OfTwo& compute) {
  if (type.count == 1) return compute(builder, a, b);
  Value* const low = compute(builder, part_of(builder, a, 0, 16), part_of(builder, b, 0, 16));
  Value* const high = compute(builder, part_of(builder, a, 16, 16), part_of(builder, b, 16, 16));
  return concatenated(builder, low, high);
}

Status emit_two(Instruction& in, Type type, const OfTwo& compute) {
  KMUX_ASSIGN(const auto v, in.sources(2, type));
  return in.write(elementwise(in.builder(), type, v[0], v[1], compute));
}

OfTwo by_intrinsic(intrinsic::ID id) {
  return [id](Builder& builder, Value* a, Value* b) -> Value* { return builder.CreateBinaryIntrinsic(id, a, b); };
}

/// Whether an addition continues or begins a chain of them (".cc", "addc").
struct Chain {
  bool continues = false, sets = false;
};

// Emits d = a + b + carry; a subtraction if `is_sub`, whose carry is a borrow.
Status emit_chain(Instruction& in, Chain chain, bool is_sub) {
  const Type type = in.type(0);
  if (type.whole() < 32 || type.count != 1) return in.refuse("a carry needs a type of 32 or 64 bits");
  KMUX_ASSIGN(const auto v, in.sources(2, type));
  Builder& builder = in.builder();
  Value* const carry = builder.CreateZExt(chain.continues ? in.emitter().carry() : builder.getFalse(), v[0]->getType());
  Value* const first = is_sub ? builder.CreateSub(v[0], v[1]) : builder.CreateAdd(v[0], v[1]);
  Value* const all = is_sub ? builder.CreateSub(first, carry) : builder.CreateAdd(first, carry);
  Value* const of_first = is_sub ? builder.CreateICmpULT(v[0], v[1]) : builder.CreateICmpULT(first, v[0]);
  Value* const of_carry = is_sub ? builder.CreateICmpULT(first, carry) : builder.CreateICmpULT(all, first);
  if (chain.sets) in.emitter().set_carry(builder.CreateOr(of_first, of_carry));
  return in.write(all);
}

// Emits add or sub.
Status emit_sum(Instruction& in, bool is_sub, bool continues) {
  if (in.types() != 1) return in.refuse("its type is missing");
  const Type type = in.type(0);
  const Chain chain{.continues = continues, .sets = in.take("cc")};
  if (!is_wide_enough(type)) return in.refuse("it does not add this type");
  if (chain.continues || chain.sets) return emit_chain(in, chain, is_sub);
  if (in.take("sat")) {
    if (type != Type{Type::Kind::kSigned, 32}) return in.refuse("\".sat\" needs s32");
    return emit_two(in, type, by_intrinsic(is_sub ? intrinsic::ssub_sat : intrinsic::sadd_sat));
  }
  return emit_two(in, type, [is_sub](Builder& builder, Value* a, Value* b) {
    return is_sub ? builder.CreateSub(a, b) : builder.CreateAdd(a, b);
  });
}

Status emit_add(Instruction& in) {
  if (in.types() == 1 && in.type(0).is_native_float()) return emit_number(in, "add", in.type(0));
  if (in.types() == 1 && in.type(0).is_half()) return emit_half(in, "add", in.type(0));
  return emit_sum(in, false, false);
}

Status emit_sub(Instruction& in) {
  if (in.types() == 1 && in.type(0).is_native_float()) return emit_number(in, "sub", in.type(0));
  if (in.types() == 1 && in.type(0).is_half()) return emit_half(in, "sub", in.type(0));
  return emit_sum(in, true, false);
}

Status emit_addc(Instruction& in) { return emit_sum(in, false, true); }
Status emit_subc(Instruction& in) { return emit_sum(in, true, true); }

/// Which bits of a product are its result.
enum class Half : std::uint8_t { kLow, kHigh, kWide, kNone };

Half half_of(Instruction& in) { return static_cast<Half>(in.take_any({"lo", "hi", "wide"})); }

Value* product(Builder& builder, Type type, Half half, Value* a, Value* b) {
  if (half == Half::kLow) return builder.CreateMul(a, b);
  const unsigned bits = type.bits;
  Value* const whole = builder.CreateMul(extended(builder, a, type.is_signed(), 2 * bits),
                                         extended(builder, b, type.is_signed(), 2 * bits));
  return half == Half::kWide ? whole : builder.CreateTrunc(builder.CreateLShr(whole, bits), a->getType());
}

Status check_product(Instruction& in, Half half) {
  const Type type = in.type(0);
  if (!is_wide_enough(type) || type.count != 1) return in.refuse("it does not multiply this type");
  if (half == Half::kNone) return in.refuse(R"(it has none of ".lo", ".hi" and ".wide")");
  return half == Half::kWide && type.bits == 64 ? Status(in.refuse("a product has at most 64 bits")) : Status(Ok{});
}

Status emit_mul(Instruction& in) {
  if (in.types() != 1) return in.refuse("its type is missing");
  const Type type = in.type(0);
  if (type.is_native_float()) return emit_number(in, "mul", type);
  if (type.is_half()) return emit_half(in, "mul", type);
  const Half half = half_of(in);
  KMUX_TRY(check_product(in, half));
  KMUX_ASSIGN(const auto v, in.sources(2, type));
  return in.write(product(in.builder(), type, half, v[0], v[1]));
}

// mad.lo.s32 d, a, b, c: a * b + c.
Status emit_mad(Instruction& in) {
  if (in.types() != 1) return in.refuse("its type is missing");
  const Type type = in.type(0);
  if (type.is_native_float()) return emit_number(in, "fma", type);
  const Half half = half_of(in);
  const bool saturates = in.take("sat");
  KMUX_TRY(check_product(in, half));
  if (saturates && !(half == Half::kHigh && type == Type{Type::Kind::kSigned, 32}))
    return in.refuse("\".sat\" needs hi.s32");
  KMUX_TRY(in.check(1, 4));
  KMUX_ASSIGN(Value* const a, in.read(1, type));
  KMUX_ASSIGN(Value* const b, in.read(2, type));
  const Type sum = half == Half::kWide ? Type{type.kind, 2 * type.bits} : type;
  KMUX_ASSIGN(Value* const c, in.read(3, sum));
  Value* const whole = product(in.builder(), type, half, a, b);
  return in.write(saturates ? in.builder().CreateBinaryIntrinsic(intrinsic::sadd_sat, whole, c)
                            : in.builder().CreateAdd(whole, c));
}

// mul24.lo.u32: the product of the lowest 24 bits; ".hi" are its bits 16 to 47.
Result<Value*> product24(Instruction& in, Half half) {
  const Type type = in.type(0);
  if (type.whole() != 32 || !is_wide_enough(type) || half > Half::kHigh)
    return in.refuse("it does not multiply this type");
  Builder& builder = in.builder();
  Value* factors[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    KMUX_ASSIGN(Value* const one, in.read(i + 1, type));
    Value* const moved = builder.CreateShl(extended(builder, one, false, 64), 40);
    factors[i] = type.is_signed() ? builder.CreateAShr(moved, 40) : builder.CreateLShr(moved, 40);
  }
  Value* const whole = builder.CreateMul(factors[0], factors[1]);
  return builder.CreateTrunc(half == Half::kHigh ? builder.CreateLShr(whole, 16) : whole, builder.getInt32Ty());
}

Status emit_mul24(Instruction& in) {
  const Half half = half_of(in);
  KMUX_TRY(in.check(1, 3));
  KMUX_ASSIGN(Value* const value, product24(in, half));
  return in.write(value);
}

Status emit_mad24(Instruction& in) {
  const Half half = half_of(in);
  KMUX_TRY(in.check(1, 4));
  KMUX_ASSIGN(Value* const value, product24(in, half));
  KMUX_ASSIGN(Value* const c, in.read(3, in.type(0)));
  return in.write(in.builder().CreateAdd(value, c));
}

// A quotient by zero has all bits, its remainder is the dividend, as of one too large.
Value* quotient(Builder& builder, Type type, Value* a, Value* b) {
  Value* const is_zero = builder.CreateICmpEQ(b, llvm::Constant::getNullValue(b->getType()));
  Value* const safe = builder.CreateSelect(is_zero, llvm::ConstantInt::get(b->getType(), 1), b);
  Value* result = nullptr;
  if (type.is_signed()) {
    Value* const is_minus = builder.CreateICmpEQ(safe, llvm::Constant::getAllOnesValue(b->getType()));
    Value* const positive = builder.CreateSelect(is_minus, llvm::ConstantInt::get(b->getType(), 1), safe);
    result = builder.CreateSelect(is_minus, builder.CreateNeg(a), builder.CreateSDiv(a, positive));
  } else {
    result = builder.CreateUDiv(a, safe);
  }
  return builder.CreateSelect(is_zero, llvm::Constant::getAllOnesValue(b->getType()), result);
}

Status emit_div(Instruction& in) {
  if (in.types() != 1) return in.refuse("its type is missing");
  const Type type = in.type(0);
  if (type.is_native_float()) return emit_number(in, "div", type);
  if (!is_wide_enough(type) || type.count != 1) return in.refuse("it does not divide this type");
  KMUX_ASSIGN(const auto v, in.sources(2, type));
  return in.write(quotient(in.builder(), type, v[0], v[1]));
}

Status emit_rem(Instruction& in) {
  KMUX_TRY(in.check(1, 3));
  const Type type = in.type(0);
  if (!is_wide_enough(type) || type.count != 1) return in.refuse("it does not divide this type");
  KMUX_ASSIGN(const auto v, in.sources(2, type));
  Value* const whole = quotient(in.builder(), type, v[0], v[1]);
  return in.write(in.builder().CreateSub(v[0], in.builder().CreateMul(whole, v[1])));
}

// Returns min or max of integers of `type`, then the larger of that and 0 if `is_rectified`.
OfTwo extreme_of(Type type, bool is_max, bool is_rectified) {
  const intrinsic::ID of_signed = is_max ? intrinsic::smax : intrinsic::smin;
  const intrinsic::ID of_unsigned = is_max ? intrinsic::umax : intrinsic::umin;
  OfTwo plain = by_intrinsic(type.is_signed() ? of_signed : of_unsigned);
  if (!is_rectified) return plain;
  return [plain](Builder& builder, Value* a, Value* b) -> Value* {
    Value* const one = plain(builder, a, b);
    return builder.CreateBinaryIntrinsic(intrinsic::smax, one, llvm::Constant::getNullValue(one->getType()));
  };
}

Status emit_extreme(Instruction& in, bool is_max) {
  if (in.types() != 1) return in.refuse("its type is missing");
  const Type type = in.type(0);
  if (type.is_native_float()) return emit_number(in, is_max ? "max" : "min", type);
  if (type.is_half()) return emit_half(in, is_max ? "max" : "min", type);
  if (!is_wide_enough(type)) return in.refuse("it does not compare this type");
  const bool is_rectified = in.take("relu");
  if (is_rectified && !type.is_signed()) return in.refuse("\".relu\" needs a signed type");
  return emit_two(in, type, extreme_of(type, is_max, is_rectified));
}

Status emit_min(Instruction& in) { return emit_extreme(in, false); }
Status emit_max(Instruction& in) { return emit_extreme(in, true); }

// Emits neg or abs of a signed integer, whose least one is itself.
Status emit_sign(Instruction& in, std::string_view name) {
  if (in.types() != 1) return in.refuse("its type is missing");
  const Type type = in.type(0);
  if (type.is_native_float()) return emit_number(in, name, type);
  if (type.is_half()) return emit_half(in, name, type);
  if (!type.is_signed() || type.bits < 16 || type.count != 1) return in.refuse("this type is not supported");
  KMUX_ASSIGN(const auto v, in.sources(1, type));
  if (name == "neg") return in.write(in.builder().CreateNeg(v[0]));
  return in.write(in.builder().CreateBinaryIntrinsic(intrinsic::abs, v[0], in.builder().getFalse()));
}

Status emit_neg(Instruction& in) { return emit_sign(in, "neg"); }
Status emit_abs(Instruction& in) { return emit_sign(in, "abs"); }

// sad.u32 d, a, b, c: c + |a - b|.
Status emit_sad(Instruction& in) {
  KMUX_TRY(in.check(1, 4));
  const Type type = in.type(0);
  if (!is_wide_enough(type) || type.count != 1) return in.refuse("this type is not supported");
  KMUX_ASSIGN(const auto v, in.sources(3, type));
  Builder& builder = in.builder();
  Value* const is_less = type.is_signed() ? builder.CreateICmpSLT(v[0], v[1]) : builder.CreateICmpULT(v[0], v[1]);
  Value* const distance = builder.CreateSelect(is_less, builder.CreateSub(v[1], v[0]), builder.CreateSub(v[0], v[1]));
  return in.write(builder.CreateAdd(v[2], distance));
}

// Returns the `bits` bits of `word` from `place` on, as a number.
Value* field(Builder& builder, Value* word, unsigned place, unsigned bits, bool is_signed) {
  Value* const moved = builder.CreateShl(word, 32 - bits - place);
  return is_signed ? builder.CreateAShr(moved, 32 - bits) : builder.CreateLShr(moved, 32 - bits);
}

// dp4a.u32.s32 d, a, b, c: c plus the products of the bytes; dp2a: of two halves of a with two bytes of b.
Status emit_dot(Instruction& in, unsigned count) {
  const std::size_t half = count == 4 ? 0 : in.take_any({"lo", "hi"});
  if (half > 1) return in.refuse(R"(it has none of ".lo" and ".hi")");
  KMUX_TRY(in.check(2, 4));
  for (std::size_t i = 0; i < 2; ++i) {
    if (in.type(i).whole() != 32 || !is_wide_enough(in.type(i))) return in.refuse("these types are not supported");
  }
  KMUX_ASSIGN(const auto v, in.sources(3, kB32));
  Builder& builder = in.builder();
  Value* sum = v[2];
  for (unsigned i = 0; i < count; ++i) {
    const unsigned bits = 32 / count;
    Value* const a = field(builder, v[0], i * bits, bits, in.type(0).is_signed());
    Value* const b = field(builder, v[1], 8 * (i + 2 * static_cast<unsigned>(half)), 8, in.type(1).is_signed());
    sum = builder.CreateAdd(sum, builder.CreateMul(a, b));
  }
  return in.write(sum);
}

Status emit_dp4a(Instruction& in) { return emit_dot(in, 4); }
Status emit_dp2a(Instruction& in) { return emit_dot(in, 2); }

constexpr Family kFamilies[] = {{"add", emit_add},  {"sub", emit_sub}, {"addc", emit_addc},   {"subc", emit_subc},
                                {"mul", emit_mul},  {"mad", emit_mad}, {"mul24", emit_mul24}, {"mad24", emit_mad24},
                                {"div", emit_div},  {"rem", emit_rem}, {"min", emit_min},     {"max", emit_max},
                                {"neg", emit_neg},  {"abs", emit_abs}, {"sad", emit_sad},     {"dp4a", emit_dp4a},
                                {"dp2a", emit_dp2a}};

}  // namespace
}  // namespace arithmetic

std::span<const Family> arithmetic_families() { return arithmetic::kFamilies; }

}  // namespace kmux::simt::ptx
