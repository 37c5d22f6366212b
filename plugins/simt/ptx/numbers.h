#pragma once

#include <cstdint>

#include "simt/ptx/emitter.h"

namespace kmux::simt::ptx {

using Builder = llvm::IRBuilder<>;

/// A rounding mode of PTX: to nearest even, toward zero, down, up.
enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp };

/// Returns `bits` bits of the integer `whole` from bit `place` on, as an integer of as many.
Value* part_of(Builder& builder, Value* whole, unsigned place, unsigned bits);
/// Returns an integer whose lower half is `low`, and whose upper half is `high`, of the same type.
Value* concatenated(Builder& builder, Value* low, Value* high);

/// Returns the float or double `x`, subnormal numbers as zero of their sign.
Value* flushed(Builder& builder, Value* x);
/// Returns `x` within [0, 1]; 0 for NaN.
Value* saturated(Builder& builder, Value* x);
/// Returns `x`; +0 if it is negative.
Value* rectified(Builder& builder, Value* x);
/// Returns true for NaN.
Value* is_nan(Builder& builder, Value* x);

/// Returns the smaller or larger of the floats or doubles `a` and `b`; -0 is smaller than +0. Of NaN and a number it is
/// the number, or with `keeps_nan` the canonical NaN, as of two NaNs.
Value* extreme(Builder& builder, Value* a, Value* b, bool is_max, bool keeps_nan);

/// Returns the double `x` + `error` as a float. `error` must be less than the last bit of `x`.
Value* rounded_float(Builder& builder, Value* x, Value* error, Rounding rounding);
/// Returns the part of `a` + `b` that `sum`, the rounded sum of doubles, lacks; 0 if that is infinite or NaN.
Value* error_of_sum(Builder& builder, Value* a, Value* b, Value* sum);
/// Returns the double `x` + `error` as a float whose last bit is set if it is inexact. Rounding it again to fewer bits
/// is the same as rounding the sum.
Value* odd_float(Builder& builder, Value* x, Value* error);
/// Returns the same of the float `sum`, the rounded sum that lacks the float `error`.
Value* odd_sum(Builder& builder, Value* sum, Value* error);

/// Returns an f16 or bf16 of `type`, as bits, as a float.
Value* float_of_half(Builder& builder, Value* bits, Type type);
/// Returns the float `x` as the bits of an f16 or bf16; NaN becomes 0x7fff.
Value* half_of_float(Builder& builder, Value* x, Type type, Rounding rounding = Rounding::kNearest);

/// Returns the float `x` as the bits (i8) of e4m3 or e5m2, rounded to nearest. Larger numbers become the largest one.
Value* fp8_of_float(Builder& builder, Value* x, Type type);
/// Returns bits of e4m3 or e5m2 (i8) as an f16 (i16).
Value* half_of_fp8(Builder& builder, Value* bits, Type type);

}  // namespace kmux::simt::ptx
