// Arithmetic of f32 and f64.
#include "llvm/IR/Intrinsics.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace floats {
namespace {

namespace intrinsic = llvm::Intrinsic;
using Values = std::vector<Value*>;

/// The modifiers of an instruction on numbers.
struct Modifiers {
  Rounding rounding = Rounding::kNearest;
  bool flushes = false, saturates = false;
};

Modifiers modifiers_of(Instruction& in) {
  Modifiers modifiers;
  const std::size_t rounding = in.take_any({"rn", "rz", "rm", "rp"});
  if (rounding < 4) modifiers.rounding = static_cast<Rounding>(rounding);
  modifiers.flushes = in.take("ftz");
  modifiers.saturates = in.take("sat");
  return modifiers;
}

Value* constant(Value* like, double number) { return llvm::ConstantFP::get(like->getType(), number); }

// Returns `a` + `b` as a float, rounded once. A zero sum is -0 if rounded down, unless it is of two positive zeros.
Value* rounded_sum(Builder& builder, Value* a, Value* b, Rounding rounding) {
  Value* const sum = builder.CreateFAdd(a, b);
  Value* const result = rounded_float(builder, sum, error_of_sum(builder, a, b, sum), rounding);
  if (rounding != Rounding::kDown) return result;
  llvm::Type* const i64 = builder.getInt64Ty();
  Value* const signs = builder.CreateOr(with_type(builder, a, i64), with_type(builder, b, i64));
  Value* const has_sign = builder.CreateICmpSLT(signs, builder.getInt64(0));
  Value* const zero = builder.CreateSelect(has_sign, constant(result, -0.0), constant(result, 0));
  return builder.CreateSelect(builder.CreateFCmpOEQ(sum, constant(sum, 0)), zero, result);
}

Value* as_double(Builder& builder, Value* x) { return builder.CreateFPExt(x, builder.getDoubleTy()); }

// Returns a + b or a * b + c of floats, computed in double and rounded by `rounding`.
Value* rounded(Builder& builder, std::string_view name, const Values& v, Rounding rounding) {
  Value* const a = as_double(builder, v[0]);
  Value* const b = as_double(builder, v[1]);
  if (name == "add") return rounded_sum(builder, a, b, rounding);
  if (name == "sub") return rounded_sum(builder, a, builder.CreateFNeg(b), rounding);
  Value* const product = builder.CreateFMul(a, b);  // exact
  if (name == "mul") return rounded_float(builder, product, constant(product, 0), rounding);
  return rounded_sum(builder, product, as_double(builder, v[2]), rounding);
}

/// A function of one number that LLVM has.
struct OfOne {
  std::string_view name;
  intrinsic::ID id;
};
constexpr OfOne kOfOne[] = {{"abs", intrinsic::fabs}, {"sqrt", intrinsic::sqrt}, {"ex2", intrinsic::exp2},
                            {"lg2", intrinsic::log2}, {"sin", intrinsic::sin},   {"cos", intrinsic::cos},
                            {"tanh", intrinsic::tanh}};

// Returns null for other functions.
Value* nearest(Builder& builder, std::string_view name, const Values& v) {
  if (const auto* const one = std::ranges::find(kOfOne, name, &OfOne::name); one != std::end(kOfOne))
    return builder.CreateUnaryIntrinsic(one->id, v[0]);
  if (name == "add") return builder.CreateFAdd(v[0], v[1]);
  if (name == "sub") return builder.CreateFSub(v[0], v[1]);
  if (name == "mul") return builder.CreateFMul(v[0], v[1]);
  if (name == "div") return builder.CreateFDiv(v[0], v[1]);
  if (name == "fma") return builder.CreateIntrinsic(intrinsic::fma, {v[0]->getType()}, v);
  if (name == "neg") return builder.CreateFNeg(v[0]);
  if (name == "rcp") return builder.CreateFDiv(constant(v[0], 1), v[0]);
  if (name == "rsqrt") return builder.CreateFDiv(constant(v[0], 1), nearest(builder, "sqrt", v));
  return name == "copysign" ? builder.CreateBinaryIntrinsic(intrinsic::copysign, v[1], v[0]) : nullptr;
}

std::size_t operands_of(std::string_view name) {
  if (name == "fma") return 3;
  constexpr std::string_view kOfTwo[] = {"add", "sub", "mul", "div", "min", "max", "copysign"};
  return std::ranges::find(kOfTwo, name) != std::end(kOfTwo) ? 2 : 1;
}

// Reads the operands, as zero if they are subnormal and the mnemonic has ".ftz".
Result<Values> read(Instruction& in, std::string_view name, Type type, bool flushes) {
  if (flushes && type.bits != 32) return in.refuse("\".ftz\" needs f32");
  KMUX_ASSIGN(Values v, in.sources(operands_of(name), type));
  if (!flushes) return v;
  for (Value*& one : v) one = flushed(in.builder(), one);
  return v;
}

Status write(Instruction& in, const Modifiers& modifiers, Value* value) {
  if (modifiers.flushes) value = flushed(in.builder(), value);
  if (modifiers.saturates) value = saturated(in.builder(), value);
  return in.write(value);
}

// min and max, also ".NaN" and ".xorsign.abs".
Status emit_extreme(Instruction& in, std::string_view name, Type type) {
  const bool flushes = in.take("ftz"), keeps_nan = in.take("NaN"), is_signed = in.take("xorsign");
  if (is_signed && !in.take("abs")) return in.refuse(R"(".xorsign" comes with ".abs")");
  KMUX_ASSIGN(Values v, read(in, name, type, flushes));
  Builder& builder = in.builder();
  llvm::Type* const bits = builder.getIntNTy(type.bits);
  Value* const sign = builder.CreateXor(with_type(builder, v[0], bits), with_type(builder, v[1], bits));
  if (is_signed) {
    for (Value*& one : v) one = builder.CreateUnaryIntrinsic(intrinsic::fabs, one);
  }
  Value* result = extreme(builder, v[0], v[1], name == "max", keeps_nan);
  if (is_signed)
    result = builder.CreateBinaryIntrinsic(intrinsic::copysign, result, with_type(builder, sign, result->getType()));
  return in.write(result);
}

// A quotient by a number above 2^126 is 0, or NaN of an infinity, as the hardware's reciprocal is 0.
Value* fast_quotient(Builder& builder, const Values& v) {
  Value* const quotient = builder.CreateFDiv(v[0], v[1]);
  Value* const size = builder.CreateUnaryIntrinsic(intrinsic::fabs, v[1]);
  Value* const is_large =
      builder.CreateAnd(builder.CreateFCmpOGT(size, constant(size, 0x1p126)),
                        builder.CreateFCmpONE(size, llvm::ConstantFP::getInfinity(size->getType())));
  Value* const zero = builder.CreateFMul(v[0], constant(size, 0));
  return builder.CreateSelect(is_large, builder.CreateBinaryIntrinsic(intrinsic::copysign, zero, quotient), quotient);
}

bool is_approximate(std::string_view name) {
  constexpr std::string_view kNames[] = {"rsqrt", "ex2", "lg2", "sin", "cos", "tanh"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// div, rcp, sqrt, and functions that only have an approximation. Those are as exact as C++'s here.
Status emit_function(Instruction& in, std::string_view name, Type type) {
  const bool is_approximation = in.take("approx"), is_full = in.take("full");
  const Modifiers modifiers = modifiers_of(in);
  if (is_full && name != "div") return in.refuse("\".full\" is unknown");
  if (type.bits != 32 && (is_approximation || is_approximate(name))) return in.refuse("its type must be f32");
  if (!is_approximation && is_approximate(name)) return in.refuse("it lacks \".approx\"");
  if (modifiers.rounding != Rounding::kNearest || modifiers.saturates) return in.refuse("it only rounds to nearest");
  KMUX_ASSIGN(const Values v, read(in, name, type, modifiers.flushes));
  const bool is_fast = is_approximation && name == "div";
  return write(in, modifiers, is_fast ? fast_quotient(in.builder(), v) : nearest(in.builder(), name, v));
}

Status emit_sum(Instruction& in, std::string_view name, Type type) {
  const Modifiers modifiers = modifiers_of(in);
  if (type.bits == 64 && (modifiers.rounding != Rounding::kNearest || modifiers.saturates))
    return in.refuse("f64 is only rounded to nearest");
  KMUX_ASSIGN(const Values v, read(in, name, type, modifiers.flushes));
  const bool is_nearest = modifiers.rounding == Rounding::kNearest;
  return write(in, modifiers,
               is_nearest ? nearest(in.builder(), name, v) : rounded(in.builder(), name, v, modifiers.rounding));
}

Status emit_sign(Instruction& in, std::string_view name, Type type) {
  const Modifiers modifiers{.flushes = in.take("ftz")};
  KMUX_ASSIGN(const Values v, read(in, name, type, modifiers.flushes));
  return write(in, modifiers, nearest(in.builder(), name, v));
}

Status emit(Instruction& in, std::string_view name, Type type) {
  if (name == "min" || name == "max") return emit_extreme(in, name, type);
  if (name == "neg" || name == "abs" || name == "copysign") return emit_sign(in, name, type);
  if (name == "add" || name == "sub" || name == "mul" || name == "fma") return emit_sum(in, name, type);
  return emit_function(in, name, type);
}

Status emit_by_type(Instruction& in, std::string_view name) {
  if (in.types() != 1) return in.refuse("its type is missing");
  if (in.type(0).is_native_float()) return emit(in, name, in.type(0));
  if (in.type(0).is_half()) return emit_half(in, name, in.type(0));
  return in.refuse("this type is not supported");
}

template <const std::string_view& kName>
Status emit_named(Instruction& in) {
  return emit_by_type(in, kName);
}

constexpr std::string_view kFma = "fma", kRcp = "rcp", kSqrt = "sqrt", kRsqrt = "rsqrt", kCopysign = "copysign",
                           kEx2 = "ex2", kLg2 = "lg2", kSin = "sin", kCos = "cos", kTanh = "tanh";
constexpr Family kFamilies[] = {{kFma, emit_named<kFma>},           {kRcp, emit_named<kRcp>},
                                {kSqrt, emit_named<kSqrt>},         {kRsqrt, emit_named<kRsqrt>},
                                {kCopysign, emit_named<kCopysign>}, {kEx2, emit_named<kEx2>},
                                {kLg2, emit_named<kLg2>},           {kSin, emit_named<kSin>},
                                {kCos, emit_named<kCos>},           {kTanh, emit_named<kTanh>}};

}  // namespace
}  // namespace floats

Status emit_number(Instruction& instruction, std::string_view name, Type type) {
  return floats::emit(instruction, name, type);
}

std::span<const Family> number_families() { return floats::kFamilies; }

}  // namespace kmux::simt::ptx
