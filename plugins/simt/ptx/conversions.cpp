// Conversions: cvt.
#include "llvm/IR/Intrinsics.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace conversions {
namespace {

namespace intrinsic = llvm::Intrinsic;

/// The modifiers of a conversion.
struct Modifiers {
  std::size_t rounding = 4;  // as Rounding; 4: none
  std::size_t integer_rounding = 4;  // the same of ".rni", ...
  bool flushes = false, saturates = false, is_rectified = false, stays_finite = false;

  Rounding mode() const { return rounding < 4 ? static_cast<Rounding>(rounding) : Rounding::kNearest; }
  bool has_one_of(Rounding a, Rounding b) const { return rounding == 4 || mode() == a || mode() == b; }
};

Modifiers modifiers_of(Instruction& in) {
  return {.rounding = in.take_any({"rn", "rz", "rm", "rp"}),
          .integer_rounding = in.take_any({"rni", "rzi", "rmi", "rpi"}),
          .flushes = in.take("ftz"),
          .saturates = in.take("sat"),
          .is_rectified = in.take("relu"),
          .stays_finite = in.take("satfinite")};
}

bool is_whole(Type type) { return type.is_integer() && type.count == 1 && type.kind != Type::Kind::kBits; }
bool has_fraction(Type type) { return type.is_native_float() || (type.is_half() && type.count == 1); }

Value* integer(llvm::Type* type, std::int64_t number) {
  return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(number), true);
}

// Returns the integer `x`, signed if `is_signed`, within the numbers of `to`, in at least as many bits.
Value* clamped(Builder& builder, Value* x, bool is_signed, Type to) {
  llvm::Type* const type = x->getType();
  const unsigned have = type->getIntegerBitWidth();
  const bool drops_sign = is_signed && !to.is_signed();
  if (drops_sign) x = builder.CreateBinaryIntrinsic(intrinsic::smax, x, integer(type, 0));
  const unsigned most_bits = to.bits - (to.is_signed() ? 1 : 0);
  if (most_bits >= have - (is_signed ? 1 : 0)) return x;
  Value* const most = integer(type, static_cast<std::int64_t>((std::uint64_t{1} << most_bits) - 1));
  x = builder.CreateBinaryIntrinsic(is_signed ? intrinsic::smin : intrinsic::umin, x, most);
  if (!is_signed || drops_sign) return x;
  return builder.CreateBinaryIntrinsic(intrinsic::smax, x, builder.CreateNot(most));
}

Value* resized(Builder& builder, Value* x, bool is_signed, unsigned bits) {
  llvm::Type* const type = builder.getIntNTy(bits);
  return is_signed ? builder.CreateSExtOrTrunc(x, type) : builder.CreateZExtOrTrunc(x, type);
}

Result<Value*> integer_to_integer(Instruction& in, Value* x, Type from, Type to, const Modifiers& modifiers) {
  if (modifiers.rounding < 4 || modifiers.integer_rounding < 4 || modifiers.flushes)
    return in.refuse("integers are not rounded");
  if (modifiers.saturates) x = clamped(in.builder(), x, from.is_signed(), to);
  return resized(in.builder(), x, from.is_signed(), to.bits);
}

Value* to_float_type(Builder& builder, Value* x, bool is_signed, llvm::Type* type) {
  return is_signed ? builder.CreateSIToFP(x, type) : builder.CreateUIToFP(x, type);
}

// Returns the double `x` as a number of `to`.
Result<Value*> rounded(Instruction& in, Value* x, Type to, const Modifiers& modifiers) {
  Builder& builder = in.builder();
  Value* const none = llvm::ConstantFP::get(x->getType(), 0);
  if (to.bits == 64) return x;
  if (to.bits == 32) return rounded_float(builder, x, none, modifiers.mode());
  if (!modifiers.has_one_of(Rounding::kNearest, Rounding::kZero))
    return in.refuse("a half is rounded to nearest or toward zero");
  const bool is_nearest = modifiers.mode() == Rounding::kNearest;
  Value* const near = is_nearest ? odd_float(builder, x, none) : rounded_float(builder, x, none, Rounding::kZero);
  return half_of_float(builder, near, to, modifiers.mode());
}

Result<Value*> integer_to_number(Instruction& in, Value* x, Type from, Type to, const Modifiers& modifiers) {
  if (modifiers.integer_rounding < 4 || modifiers.rounding == 4) return in.refuse("it lacks the rounding of a number");
  Builder& builder = in.builder();
  const bool is_nearest = modifiers.mode() == Rounding::kNearest;
  const bool is_exact_in_double = from.bits <= 32;
  // Integers of 64 bits that a double does not hold are infinite as f16.
  const bool is_large_for_half = to == Type{Type::Kind::kFloat, 16};
  Value* result = nullptr;
  if (to.is_native_float() && is_nearest) {
    result = to_float_type(builder, x, from.is_signed(), llvm_type(builder.getContext(), to));
  } else if (is_exact_in_double || (is_large_for_half && is_nearest)) {
    KMUX_ASSIGN(result, rounded(in, to_float_type(builder, x, from.is_signed(), builder.getDoubleTy()), to, modifiers));
  } else {
    return in.refuse("64 bits are only rounded to nearest, and to f16, f32 or f64");
  }
  return modifiers.saturates && to.is_native_float() ? saturated(builder, result) : result;
}

Value* rounded_to_integer(Builder& builder, Value* x, std::size_t rounding) {
  constexpr intrinsic::ID kModes[] = {intrinsic::roundeven, intrinsic::trunc, intrinsic::floor, intrinsic::ceil};
  return rounding < 4 ? builder.CreateUnaryIntrinsic(kModes[rounding], x) : x;
}

// NaN becomes 0; the least number of the type if that or the operand has 64 bits.
Result<Value*> number_to_integer(Instruction& in, Value* x, Type from, Type to, const Modifiers& modifiers) {
  if (modifiers.integer_rounding == 4 || modifiers.rounding < 4)
    return in.refuse("it lacks the rounding to an integer");
  Builder& builder = in.builder();
  Value* const whole = rounded_to_integer(builder, x, modifiers.integer_rounding);
  const Type wide{to.kind, std::max(to.bits, 32U)};
  llvm::Type* const type = llvm_type(builder.getContext(), wide);
  const intrinsic::ID id = to.is_signed() ? intrinsic::fptosi_sat : intrinsic::fptoui_sat;
  Value* result = builder.CreateIntrinsic(id, {type, whole->getType()}, {whole});
  result = resized(builder, clamped(builder, result, to.is_signed(), to), to.is_signed(), to.bits);
  if (from.bits != 64 && to.bits != 64) return result;
  Value* const of_nan = llvm::ConstantInt::get(result->getType(), std::uint64_t{1} << (to.bits - 1));
  return builder.CreateSelect(is_nan(builder, x), of_nan, result);
}

// Returns `x` as an LLVM float or double.
Value* native(Builder& builder, Value* x, Type from) { return from.is_half() ? float_of_half(builder, x, from) : x; }

Result<Value*> number_to_number(Instruction& in, Value* x, Type from, Type to, const Modifiers& modifiers) {
  Builder& builder = in.builder();
  if (modifiers.integer_rounding < 4) {
    if (from != to || modifiers.rounding < 4) return in.refuse("it rounds to an integer of another type");
    x = rounded_to_integer(builder, x, modifiers.integer_rounding);
  }
  const bool is_narrower = to.bits < from.bits || (to.is_half() && from.is_half() && from != to);
  if (is_narrower && modifiers.rounding == 4) return in.refuse("it lacks the rounding of a number");
  if (modifiers.saturates) x = saturated(builder, x);
  if (modifiers.is_rectified) x = rectified(builder, x);
  if (from.bits == 64) return rounded(in, x, to, modifiers);
  if (to.is_half()) {
    if (!modifiers.has_one_of(Rounding::kNearest, Rounding::kZero))
      return in.refuse("a half is rounded to nearest or toward zero");
    return half_of_float(builder, x, to, modifiers.mode());
  }
  return to.bits == 64 ? builder.CreateFPExt(x, builder.getDoubleTy()) : x;
}

Status check_modifiers(Instruction& in, Type from, Type to, const Modifiers& modifiers) {
  if (modifiers.stays_finite) return in.refuse("\".satfinite\" needs e4m3x2 or e5m2x2");
  if (!modifiers.is_rectified || (to.is_half() && has_fraction(from))) return Ok{};
  return in.refuse("\".relu\" needs f16 or bf16");
}

Result<Value*> converted(Instruction& in, Value* x, Type from, Type to, const Modifiers& modifiers) {
  KMUX_TRY(check_modifiers(in, from, to, modifiers));
  if (is_whole(from) && is_whole(to)) return integer_to_integer(in, x, from, to, modifiers);
  if (is_whole(from) && has_fraction(to)) return integer_to_number(in, x, from, to, modifiers);
  if (!has_fraction(from) || !(is_whole(to) || has_fraction(to))) return in.refuse("it does not convert these types");
  Builder& builder = in.builder();
  const Type single{Type::Kind::kFloat, 32};
  if (modifiers.flushes && from != single && to != single) return in.refuse("\".ftz\" needs f32");
  x = native(builder, x, from);
  if (modifiers.flushes && from == single) x = flushed(builder, x);
  if (is_whole(to)) return number_to_integer(in, x, from, to, modifiers);
  KMUX_ASSIGN(Value* const result, number_to_number(in, x, from, to, modifiers));
  return modifiers.flushes && to == single ? flushed(builder, result) : result;
}

Status emit_one(Instruction& in, Type from, Type to, const Modifiers& modifiers) {
  KMUX_TRY(in.check(2, 2));
  KMUX_ASSIGN(Value* const x, in.emitter().read(in.operand(1), from, /*is_wider_allowed=*/true));
  KMUX_ASSIGN(Value* const result, converted(in, x, from, to, modifiers));
  return in.emitter().write(in.operand(0), result, &to);
}

// cvt.rna.tf32.f32: the upper 19 bits, rounded to nearest, ties away from zero; ".rn": to even; ".rz": toward zero.
Status emit_tf32(Instruction& in, const Modifiers& modifiers) {
  const bool is_away = in.take("rna");
  KMUX_TRY(in.check(2, 2));
  const bool is_known =
      modifiers.has_one_of(Rounding::kNearest, Rounding::kZero) && is_away == (modifiers.rounding == 4);
  if (!is_known || modifiers.flushes || modifiers.saturates || modifiers.stays_finite || modifiers.integer_rounding < 4)
    return in.refuse(R"(it is rounded by ".rna", ".rn" or ".rz")");
  KMUX_ASSIGN(Value * x, in.read(1, Type{Type::Kind::kFloat, 32}));
  Builder& builder = in.builder();
  if (modifiers.is_rectified) x = rectified(builder, x);
  Value* const bits = with_type(builder, x, builder.getInt32Ty());
  Value* added = builder.getInt32(is_away ? 0x1000 : 0);
  if (modifiers.rounding == static_cast<std::size_t>(Rounding::kNearest)) {
    Value* const last = builder.CreateAnd(builder.CreateLShr(bits, 13), builder.getInt32(1));
    added = builder.CreateAdd(last, builder.getInt32(0xfff));
  }
  Value* const rounded = builder.CreateAnd(builder.CreateAdd(bits, added), builder.getInt32(0xffffe000));
  Value* const is_infinite =
      builder.CreateICmpEQ(builder.CreateAnd(bits, builder.getInt32(0x7fffffff)), builder.getInt32(0x7f800000));
  Value* const number = builder.CreateSelect(is_infinite, bits, rounded);
  return in.write(builder.CreateSelect(is_nan(builder, x), builder.getInt32(0x7fffffff), number));
}

// Returns the elements of operand 1, or operands 2 and 1, as floats: the lower one first.
Result<std::vector<Value*>> floats_of(Instruction& in, Type from) {
  Builder& builder = in.builder();
  std::vector<Value*> floats;
  if (from == Type{Type::Kind::kFloat, 32}) {
    KMUX_TRY(in.check(2, 3));
    KMUX_ASSIGN(Value* const high, in.read(1, from));
    KMUX_ASSIGN(Value* const low, in.read(2, from));
    return std::vector<Value*>{low, high};
  }
  KMUX_TRY(in.check(2, 2));
  KMUX_ASSIGN(Value* const both, in.read(1, from));
  for (const unsigned place : {0U, from.bits}) {
    Value* const one = part_of(builder, both, place, from.bits);
    const bool is_fp8 = from.bits == 8;
    Value* const half = is_fp8 ? half_of_fp8(builder, one, from) : one;
    floats.push_back(float_of_half(builder, half, is_fp8 ? Type{Type::Kind::kFloat, 16} : from));
  }
  return floats;
}

// cvt.rn.f16x2.f32 d, a, b; cvt.rn.satfinite.e4m3x2.f32 d, a, b; cvt.rn.f16x2.e4m3x2 d, a: a becomes the upper part.
Status emit_two(Instruction& in, Type from, Type to, const Modifiers& modifiers) {
  const bool is_fp8 = to.bits == 8;
  if (modifiers.flushes || modifiers.saturates || modifiers.integer_rounding < 4 || modifiers.rounding == 4 ||
      !modifiers.has_one_of(Rounding::kNearest, is_fp8 ? Rounding::kNearest : Rounding::kZero))
    return in.refuse(R"(it is rounded by ".rn", and halves by ".rz" as well)");
  if (modifiers.stays_finite != is_fp8) return in.refuse("\".satfinite\" and e4m3x2 or e5m2x2 need each other");
  KMUX_ASSIGN(const auto floats, floats_of(in, from));
  Value* parts[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    Value* const x = modifiers.is_rectified ? rectified(in.builder(), floats[i]) : floats[i];
    parts[i] =
        is_fp8 ? fp8_of_float(in.builder(), x, to) : half_of_float(in.builder(), x, to.element(), modifiers.mode());
  }
  return in.write(concatenated(in.builder(), parts[0], parts[1]));
}

// cvt.pack.sat.s16.s32 d, a, b; cvt.pack.sat.u8.s32.b32 d, a, b, c: a stands above b, and c above both.
Status emit_pack(Instruction& in) {
  const bool has_more = in.types() == 3;
  if (!in.take("sat")) return in.refuse("it lacks \".sat\"");
  KMUX_TRY(in.check(has_more ? 3 : 2, has_more ? 4 : 3));
  const Type to = in.type(0);
  const bool is_known = in.type(1) == Type{Type::Kind::kSigned, 32} && is_whole(to) && to.bits == (has_more ? 8 : 16);
  if (!is_known || (has_more && in.type(2) != kB32)) return in.refuse("it does not convert these types");
  Builder& builder = in.builder();
  Value* parts[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    KMUX_ASSIGN(Value* const x, in.read(i + 1, in.type(1)));
    parts[i] = resized(builder, clamped(builder, x, true, to), true, to.bits);
  }
  Value* const both = concatenated(builder, parts[1], parts[0]);
  if (!has_more) return in.write(both);
  KMUX_ASSIGN(Value* const c, in.read(3, kB32));
  return in.write(builder.CreateOr(builder.CreateShl(c, 16), builder.CreateZExt(both, builder.getInt32Ty())));
}

Status emit_cvt(Instruction& in) {
  if (in.take("pack")) return emit_pack(in);
  const Modifiers modifiers = modifiers_of(in);
  if (in.types() != 2) return in.refuse("it names " + std::to_string(in.types()) + " types instead of 2");
  const Type to = in.type(0), from = in.type(1);
  const Type single{Type::Kind::kFloat, 32};
  if (to.kind == Type::Kind::kTf32 && from == single) return emit_tf32(in, modifiers);
  const bool is_to_half = to.is_half() && to.count == 2;
  const bool is_from_fp8 = from.bits == 8 && from.count == 2;
  if (is_to_half && (from == single || is_from_fp8)) return emit_two(in, from, to, modifiers);
  if (to.bits == 8 && to.count == 2 && (from == single || (from.is_half() && from.count == 2)))
    return emit_two(in, from, to, modifiers);
  return emit_one(in, from, to, modifiers);
}

constexpr Family kFamilies[] = {{"cvt", emit_cvt}};

}  // namespace
}  // namespace conversions

std::span<const Family> conversion_families() { return conversions::kFamilies; }

}  // namespace kmux::simt::ptx
