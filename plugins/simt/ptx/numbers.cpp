#include "simt/ptx/numbers.h"

#include "llvm/IR/Intrinsics.h"

namespace kmux::simt::ptx {
namespace {

using llvm::Intrinsic::ID;

Value* magnitude(Builder& builder, Value* x) { return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
Value* constant(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }
Value* bits32(Builder& builder, Value* x) { return with_type(builder, x, builder.getInt32Ty()); }
Value* as_float(Builder& builder, Value* bits) { return with_type(builder, bits, builder.getFloatTy()); }

// Returns the float `x` with the last bit of its representation moved: away from zero if `is_away`.
Value* next_float(Builder& builder, Value* x, Value* is_away) {
  Value* const bits = bits32(builder, x);
  Value* const away = builder.CreateAdd(bits, builder.getInt32(1));
  Value* const toward = builder.CreateSub(bits, builder.getInt32(1));
  return as_float(builder, builder.CreateSelect(is_away, away, toward));
}

// Returns the difference of the double `x` + `error` and the float `nearest`: exact, or of the right sign.
Value* difference(Builder& builder, Value* x, Value* error, Value* nearest) {
  Value* const rest = builder.CreateFSub(x, builder.CreateFPExt(nearest, builder.getDoubleTy()));
  return builder.CreateSelect(builder.CreateFCmpUNE(rest, constant(rest, 0)), rest, error);
}

Value* is_finite(Builder& builder, Value* x) {
  return builder.CreateFCmpONE(magnitude(builder, x), llvm::ConstantFP::getInfinity(x->getType()));
}

Value* is_negative(Builder& builder, Value* x) {
  llvm::Type* const bits = builder.getIntNTy(bits_of(x->getType()));
  return builder.CreateICmpSLT(with_type(builder, x, bits), llvm::Constant::getNullValue(bits));
}

// Returns `bits` without its lowest `places`, rounded to nearest even.
Value* rounded_off(Builder& builder, Value* bits, unsigned places) {
  Value* const last = builder.CreateAnd(builder.CreateLShr(bits, places), builder.getInt32(1));
  Value* const half = builder.getInt32((1U << (places - 1)) - 1);
  return builder.CreateLShr(builder.CreateAdd(builder.CreateAdd(bits, half), last), places);
}

}  // namespace

Value* is_nan(Builder& builder, Value* x) { return builder.CreateFCmpUNO(x, x); }

Value* part_of(Builder& builder, Value* whole, unsigned place, unsigned bits) {
  Value* const moved = place == 0 ? whole : builder.CreateLShr(whole, place);
  return builder.CreateTrunc(moved, builder.getIntNTy(bits));
}

Value* concatenated(Builder& builder, Value* low, Value* high) {
  const unsigned bits = low->getType()->getIntegerBitWidth();
  llvm::Type* const whole = builder.getIntNTy(2 * bits);
  return builder.CreateOr(builder.CreateShl(builder.CreateZExt(high, whole), bits), builder.CreateZExt(low, whole));
}

Value* flushed(Builder& builder, Value* x) {
  const bool is_float = x->getType()->isFloatTy();
  Value* const least = constant(x, is_float ? 0x1p-126 : 0x1p-1022);
  Value* const zero = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, constant(x, 0), x);
  return builder.CreateSelect(builder.CreateFCmpOLT(magnitude(builder, x), least), zero, x);
}

Value* saturated(Builder& builder, Value* x) {
  Value* const low = builder.CreateSelect(builder.CreateFCmpOGT(x, constant(x, 0)), x, constant(x, 0));
  return builder.CreateSelect(builder.CreateFCmpOLT(low, constant(x, 1)), low, constant(x, 1));
}

Value* rectified(Builder& builder, Value* x) {
  Value* const is_below = builder.CreateAnd(is_negative(builder, x), builder.CreateFCmpORD(x, x));
  return builder.CreateSelect(is_below, constant(x, 0), x);
}

Value* extreme(Builder& builder, Value* a, Value* b, bool is_max, bool keeps_nan) {
  llvm::Type* const type = a->getType();
  llvm::Type* const bits = builder.getIntNTy(bits_of(type));
  Value* const a_bits = with_type(builder, a, bits);
  Value* const b_bits = with_type(builder, b, bits);
  // Equal numbers have equal bits, or are zeros whose sign decides.
  Value* const equal = is_max ? builder.CreateAnd(a_bits, b_bits) : builder.CreateOr(a_bits, b_bits);
  Value* const is_first = is_max ? builder.CreateFCmpOGT(a, b) : builder.CreateFCmpOLT(a, b);
  Value* const one = builder.CreateSelect(is_first, a, b);
  Value* result = builder.CreateSelect(builder.CreateFCmpOEQ(a, b), with_type(builder, equal, type), one);
  const unsigned width = bits_of(type);
  Value* const nan = with_type(builder, llvm::ConstantInt::get(bits, ~std::uint64_t{0} >> (65 - width)), type);
  Value* const of_a = is_nan(builder, a);
  Value* const of_b = is_nan(builder, b);
  if (keeps_nan) return builder.CreateSelect(builder.CreateOr(of_a, of_b), nan, result);
  result = builder.CreateSelect(of_b, a, result);
  return builder.CreateSelect(builder.CreateAnd(of_a, of_b), nan, result);
}

Value* rounded_float(Builder& builder, Value* x, Value* error, Rounding rounding) {
  Value* const nearest = builder.CreateFPTrunc(x, builder.getFloatTy());
  if (rounding == Rounding::kNearest) return nearest;
  Value* const rest = difference(builder, x, error, nearest);
  Value* const zero = constant(rest, 0);
  Value* const is_above = builder.CreateFCmpOLT(rest, zero);  // the result is above the sum
  Value* const is_below = builder.CreateFCmpOGT(rest, zero);
  Value* const has_sign = is_negative(builder, nearest);
  Value* moves = nullptr;
  if (rounding == Rounding::kZero) {
    moves = builder.CreateSelect(has_sign, is_below, is_above);
  } else {
    moves = rounding == Rounding::kDown ? is_above : is_below;
  }
  moves = builder.CreateAnd(moves, is_finite(builder, x));
  // Moving zero down gives the least negative number.
  Value* const is_up = builder.getInt1(rounding == Rounding::kUp);
  Value* const is_away = rounding == Rounding::kZero ? builder.getInt1(false) : builder.CreateXor(is_up, has_sign);
  return builder.CreateSelect(moves, next_float(builder, nearest, is_away), nearest);
}

Value* error_of_sum(Builder& builder, Value* a, Value* b, Value* sum) {
  Value* const other = builder.CreateFSub(sum, a);
  Value* const of_a = builder.CreateFSub(a, builder.CreateFSub(sum, other));
  Value* const error = builder.CreateFAdd(of_a, builder.CreateFSub(b, other));
  return builder.CreateSelect(is_finite(builder, sum), error, constant(sum, 0));
}

Value* odd_sum(Builder& builder, Value* sum, Value* error) {
  Value* const zero = constant(error, 0);
  Value* const is_beyond = builder.CreateXor(builder.CreateFCmpOLT(error, zero), is_negative(builder, sum));
  Value* const bits = bits32(builder, sum);
  Value* const toward = builder.CreateSelect(is_beyond, builder.CreateSub(bits, builder.getInt32(1)), bits);
  Value* const odd = as_float(builder, builder.CreateOr(toward, builder.getInt32(1)));
  return builder.CreateSelect(builder.CreateFCmpUEQ(error, zero), sum, odd);
}

Value* odd_float(Builder& builder, Value* x, Value* error) {
  Value* const nearest = builder.CreateFPTrunc(x, builder.getFloatTy());
  Value* const rest = difference(builder, x, error, nearest);
  return odd_sum(builder, nearest, builder.CreateSelect(is_finite(builder, x), rest, constant(rest, 0)));
}

Value* float_of_half(Builder& builder, Value* bits, Type type) {
  if (type.kind == Type::Kind::kFloat)
    return builder.CreateFPExt(with_type(builder, bits, builder.getHalfTy()), builder.getFloatTy());
  return as_float(builder, builder.CreateShl(builder.CreateZExt(bits, builder.getInt32Ty()), 16));
}

Value* half_of_float(Builder& builder, Value* x, Type type, Rounding rounding) {
  Value* result = nullptr;
  if (type.kind == Type::Kind::kFloat) {
    result = with_type(builder, builder.CreateFPTrunc(x, builder.getHalfTy()), builder.getInt16Ty());
    if (rounding == Rounding::kZero) {  // the number before it, if its magnitude is above that of x
      Value* const back = float_of_half(builder, result, type);
      Value* const is_above = builder.CreateFCmpOGT(magnitude(builder, back), magnitude(builder, x));
      result = builder.CreateSelect(is_above, builder.CreateSub(result, builder.getInt16(1)), result);
    }
  } else {
    Value* const bits = bits32(builder, x);
    Value* const upper = rounding == Rounding::kZero ? builder.CreateLShr(bits, 16) : rounded_off(builder, bits, 16);
    result = builder.CreateTrunc(upper, builder.getInt16Ty());
  }
  return builder.CreateSelect(is_nan(builder, x), builder.getInt16(0x7fff), result);
}

Value* fp8_of_float(Builder& builder, Value* x, Type type) {
  const bool is_e4m3 = type.kind == Type::Kind::kE4m3;
  const unsigned mantissa = is_e4m3 ? 3 : 2;
  const unsigned least_exponent = is_e4m3 ? 6 : 14;  // of normal numbers, negated
  Value* const bits = bits32(builder, x);
  Value* const absolute = magnitude(builder, x);
  // Numbers below the normal ones are multiples of a power of two: adding one whose last place it is rounds to it.
  const double magic = __builtin_ldexp(1.5, static_cast<int>(23 - mantissa) - static_cast<int>(least_exponent));
  Value* const shifted = builder.CreateFAdd(absolute, constant(x, magic));
  Value* const small = builder.CreateAnd(bits32(builder, shifted), builder.getInt32((2U << mantissa) - 1));
  Value* const whole = rounded_off(builder, bits32(builder, absolute), 23 - mantissa);
  Value* const normal = builder.CreateSub(whole, builder.getInt32((127 - least_exponent - 1) << mantissa));
  Value* const is_small =
      builder.CreateFCmpOLT(absolute, constant(x, __builtin_ldexp(1, -static_cast<int>(least_exponent))));
  Value* const most = builder.getInt32(is_e4m3 ? 0x7e : 0x7b);
  Value* code = builder.CreateSelect(is_small, small, normal);
  code = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, most);
  Value* const sign = builder.CreateAnd(builder.CreateLShr(bits, 24), builder.getInt32(0x80));
  code = builder.CreateSelect(is_nan(builder, x), builder.getInt32(0x7f), builder.CreateOr(code, sign));
  return builder.CreateTrunc(code, builder.getInt8Ty());
}

Value* half_of_fp8(Builder& builder, Value* bits, Type type) {
  Value* const code = builder.CreateZExt(bits, builder.getInt16Ty());
  Value* const absolute = builder.CreateAnd(code, builder.getInt16(0x7f));
  if (type.kind == Type::Kind::kE5m2) {
    Value* const is_nan = builder.CreateICmpUGT(absolute, builder.getInt16(0x7c));
    return builder.CreateSelect(is_nan, builder.getInt16(0x7fff), builder.CreateShl(code, 8));
  }
  // The bits of e4m3 in the place of those of an f16 are its number times 2^-8, below the normal ones, too.
  Value* const place = with_type(builder, builder.CreateShl(absolute, 7), builder.getHalfTy());
  Value* const scaled = builder.CreateFMul(builder.CreateFPExt(place, builder.getFloatTy()),
                                           llvm::ConstantFP::get(builder.getFloatTy(), 256));
  Value* const number = with_type(builder, builder.CreateFPTrunc(scaled, builder.getHalfTy()), builder.getInt16Ty());
  Value* const sign = builder.CreateShl(builder.CreateAnd(code, builder.getInt16(0x80)), 8);
  Value* const is_nan = builder.CreateICmpEQ(absolute, builder.getInt16(0x7f));
  return builder.CreateSelect(is_nan, builder.getInt16(0x7fff), builder.CreateOr(number, sign));
}

}  // namespace kmux::simt::ptx
