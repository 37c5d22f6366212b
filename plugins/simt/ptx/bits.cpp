// Bits: and, or, xor, not, cnot, shifts, fields, counts, prmt, lop3.
#include <array>
#include <span>

#include "llvm/IR/Intrinsics.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace bits {
namespace {

namespace intrinsic = llvm::Intrinsic;

Value* constant(Value* like, std::uint64_t number) { return llvm::ConstantInt::get(like->getType(), number); }

bool is_logical(Type type) { return type == kPredicate || (type.kind == Type::Kind::kBits && type.bits >= 16); }

Status emit_logic(Instruction& in, llvm::Instruction::BinaryOps operation) {
  KMUX_TRY(in.check(1, 3));
  if (!is_logical(in.type(0))) return in.refuse("its type must be b16, b32, b64 or pred");
  KMUX_ASSIGN(const auto v, in.sources(2, in.type(0)));
  return in.write(in.builder().CreateBinOp(operation, v[0], v[1]));
}

Status emit_and(Instruction& in) { return emit_logic(in, llvm::Instruction::And); }
Status emit_or(Instruction& in) { return emit_logic(in, llvm::Instruction::Or); }
Status emit_xor(Instruction& in) { return emit_logic(in, llvm::Instruction::Xor); }

Status emit_not(Instruction& in) {
  KMUX_TRY(in.check(1, 2));
  if (!is_logical(in.type(0))) return in.refuse("its type must be b16, b32, b64 or pred");
  KMUX_ASSIGN(const auto v, in.sources(1, in.type(0)));
  return in.write(in.builder().CreateNot(v[0]));
}

// cnot.b32 d, a: 1 if a is 0, else 0.
Status emit_cnot(Instruction& in) {
  KMUX_TRY(in.check(1, 2));
  if (!is_logical(in.type(0)) || in.type(0) == kPredicate) return in.refuse("its type must be b16, b32 or b64");
  KMUX_ASSIGN(const auto v, in.sources(1, in.type(0)));
  return in.write(in.builder().CreateZExt(in.builder().CreateICmpEQ(v[0], constant(v[0], 0)), v[0]->getType()));
}

// Returns `value` with the bits of `places`, at least as many as its type has, in its type, and no more than them.
Value* clamped(Builder& builder, Value* places, llvm::Type* type) {
  const unsigned bits = type->getIntegerBitWidth();
  Value* const most = builder.CreateBinaryIntrinsic(intrinsic::umin, places, constant(places, bits));
  return builder.CreateZExtOrTrunc(most, type);
}

// Shifts by the width or more shift all bits out.
Status emit_shift(Instruction& in, bool is_left) {
  KMUX_TRY(in.check(1, 3));
  const Type type = in.type(0);
  const bool is_of_type = is_left ? is_logical(type) && type != kPredicate : type.is_integer() && type.bits >= 16;
  if (!is_of_type || type.count != 1) return in.refuse("it does not shift this type");
  KMUX_ASSIGN(Value* const a, in.read(1, type));
  KMUX_ASSIGN(Value* const places, in.read(2, kB32));
  Builder& builder = in.builder();
  Value* const by = clamped(builder, places, a->getType());
  Value* const most = constant(a, type.bits - 1);
  Value* const safe = builder.CreateBinaryIntrinsic(intrinsic::umin, by, most);
  if (type.is_signed()) return in.write(builder.CreateAShr(a, safe));
  Value* const moved = is_left ? builder.CreateShl(a, safe) : builder.CreateLShr(a, safe);
  return in.write(builder.CreateSelect(builder.CreateICmpULE(by, most), moved, constant(a, 0)));
}

Status emit_shl(Instruction& in) { return emit_shift(in, true); }
Status emit_shr(Instruction& in) { return emit_shift(in, false); }

// shf.l.wrap.b32 d, a, b, c: the upper half of {b, a} << c; shf.r: the lower half of {b, a} >> c.
Status emit_shf(Instruction& in) {
  const std::size_t direction = in.take_any({"l", "r"});
  const std::size_t mode = in.take_any({"wrap", "clamp"});
  KMUX_TRY(in.check(1, 4));
  if (direction > 1 || mode > 1 || in.type(0) != kB32)
    return in.refuse("it must be shf.l or shf.r, with .wrap or .clamp, and b32");
  KMUX_ASSIGN(const auto v, in.sources(3, kB32));
  Builder& builder = in.builder();
  llvm::Type* const wide = builder.getInt64Ty();
  Value* const both = concatenated(builder, v[0], v[1]);
  Value* const places = mode == 0 ? builder.CreateAnd(v[2], constant(v[2], 31))
                                  : builder.CreateBinaryIntrinsic(intrinsic::umin, v[2], constant(v[2], 32));
  Value* const by = builder.CreateZExt(places, wide);
  Value* const moved =
      direction == 0 ? builder.CreateLShr(builder.CreateShl(both, by), 32) : builder.CreateLShr(both, by);
  return in.write(builder.CreateTrunc(moved, builder.getInt32Ty()));
}

// Returns ones in the lowest `count` bits, which are at most the width of `type`.
Value* ones(Builder& builder, Value* count, llvm::Type* type) {
  const unsigned bits = type->getIntegerBitWidth();
  Value* const all = llvm::Constant::getAllOnesValue(type);
  Value* const by = builder.CreateSub(constant(count, bits), count);
  Value* const safe = builder.CreateBinaryIntrinsic(intrinsic::umin, by, constant(by, bits - 1));
  return builder.CreateSelect(builder.CreateICmpEQ(count, constant(count, 0)), llvm::Constant::getNullValue(type),
                              builder.CreateLShr(all, safe));
}

/// A field of a value, all of the value's type.
struct Field {
  Value* count = nullptr;  // its bits, below 256
  Value* width = nullptr;  // the same, at most the value's
  Value* ones = nullptr;   // as many
  Value* by = nullptr;     // its place, at most that of the value's last bit
  Value* is_inside = nullptr;  // the place is one of the value
};

// Returns the field of `whole` whose place and number of bits are operands, of which the lowest byte counts.
Result<Field> field_of(Instruction& in, Value* whole, std::size_t place, std::size_t count) {
  Builder& builder = in.builder();
  const auto byte_of = [&](Value* word) {
    return builder.CreateZExtOrTrunc(builder.CreateAnd(word, constant(word, 255)), whole->getType());
  };
  KMUX_ASSIGN(Value* const b, in.read(place, kB32));
  KMUX_ASSIGN(Value* const c, in.read(count, kB32));
  const unsigned bits = whole->getType()->getIntegerBitWidth();
  Value* const first = byte_of(b);
  Field field{.count = byte_of(c)};
  field.width = builder.CreateBinaryIntrinsic(intrinsic::umin, field.count, constant(whole, bits));
  field.ones = ones(builder, field.width, whole->getType());
  field.by = builder.CreateBinaryIntrinsic(intrinsic::umin, first, constant(whole, bits - 1));
  field.is_inside = builder.CreateICmpULE(first, constant(whole, bits - 1));
  return field;
}

bool is_word(Type type) { return type.is_integer() && type.count == 1 && type.bits >= 32; }

// bfe.s32 d, a, b, c: the field of c bits of a from bit b on. Bits beyond a are its sign, or 0.
Status emit_bfe(Instruction& in) {
  KMUX_TRY(in.check(1, 4));
  const Type type = in.type(0);
  if (!is_word(type) || type.kind == Type::Kind::kBits)
    return in.refuse("its type must be an integer of 32 or 64 bits");
  KMUX_ASSIGN(Value* const a, in.read(1, type));
  KMUX_ASSIGN(const Field field, field_of(in, a, 2, 3));
  Builder& builder = in.builder();
  if (!type.is_signed()) {
    Value* const moved = builder.CreateAnd(builder.CreateLShr(a, field.by), field.ones);
    return in.write(builder.CreateSelect(field.is_inside, moved, constant(a, 0)));
  }
  Value* const moved = builder.CreateAShr(a, field.by);
  Value* const spare = builder.CreateBinaryIntrinsic(
      intrinsic::umin, builder.CreateSub(constant(a, type.bits), field.width), constant(a, type.bits - 1));
  Value* const extended = builder.CreateAShr(builder.CreateShl(moved, spare), spare);
  return in.write(builder.CreateSelect(builder.CreateICmpEQ(field.count, constant(a, 0)), constant(a, 0), extended));
}

// bfi.b32 f, a, b, c, d: b with the lowest d bits of a from bit c on.
Status emit_bfi(Instruction& in) {
  KMUX_TRY(in.check(1, 5));
  const Type type = in.type(0);
  if (!is_word(type) || type.kind != Type::Kind::kBits) return in.refuse("its type must be b32 or b64");
  KMUX_ASSIGN(Value* const a, in.read(1, type));
  KMUX_ASSIGN(Value* const b, in.read(2, type));
  KMUX_ASSIGN(const Field field, field_of(in, a, 3, 4));
  Builder& builder = in.builder();
  Value* const mask = builder.CreateShl(field.ones, field.by);
  Value* const inserted = builder.CreateOr(builder.CreateAnd(builder.CreateShl(a, field.by), mask),
                                           builder.CreateAnd(b, builder.CreateNot(mask)));
  return in.write(builder.CreateSelect(field.is_inside, inserted, b));
}

// bmsk.clamp.b32 d, a, b: b ones from bit a on.
Status emit_bmsk(Instruction& in) {
  const std::size_t mode = in.take_any({"clamp", "wrap"});
  KMUX_TRY(in.check(1, 3));
  if (mode > 1 || in.type(0) != kB32) return in.refuse("it must be bmsk.clamp.b32 or bmsk.wrap.b32");
  KMUX_ASSIGN(const auto v, in.sources(2, kB32));
  Builder& builder = in.builder();
  const auto limited = [&](Value* value, std::uint64_t most) -> Value* {
    if (mode == 1) return builder.CreateAnd(value, constant(value, 31));
    return builder.CreateBinaryIntrinsic(intrinsic::umin, value, constant(value, most));
  };
  Value* const place = limited(v[0], 32);
  Value* const by = builder.CreateBinaryIntrinsic(intrinsic::umin, place, constant(place, 31));
  Value* const moved = builder.CreateShl(ones(builder, limited(v[1], 32), v[0]->getType()), by);
  return in.write(builder.CreateSelect(builder.CreateICmpEQ(place, by), moved, constant(place, 0)));
}

// bfind.u32 d, a: the place of the highest one (of signed numbers, of the highest bit other than the sign); -1 if none.
Status emit_bfind(Instruction& in) {
  const bool is_distance = in.take("shiftamt");
  KMUX_TRY(in.check(1, 2));
  const Type type = in.type(0);
  if (!is_word(type) || type.kind == Type::Kind::kBits)
    return in.refuse("its type must be an integer of 32 or 64 bits");
  KMUX_ASSIGN(const auto v, in.sources(1, type));
  Builder& builder = in.builder();
  Value* const sign = builder.CreateAShr(v[0], type.bits - 1);
  Value* const value = type.is_signed() ? builder.CreateXor(v[0], sign) : v[0];
  Value* const zeros = builder.CreateBinaryIntrinsic(intrinsic::ctlz, value, builder.getFalse());
  Value* const place = is_distance ? zeros : builder.CreateSub(constant(zeros, type.bits - 1), zeros);
  Value* const found = builder.CreateSelect(builder.CreateICmpEQ(value, constant(value, 0)),
                                            llvm::Constant::getAllOnesValue(value->getType()), place);
  return in.write(builder.CreateTrunc(found, builder.getInt32Ty()));
}

// brev, clz and popc: the last two have results of 32 bits.
Status emit_count(Instruction& in, intrinsic::ID id) {
  KMUX_TRY(in.check(1, 2));
  if (!is_word(in.type(0)) || in.type(0).kind != Type::Kind::kBits) return in.refuse("its type must be b32 or b64");
  KMUX_ASSIGN(const auto v, in.sources(1, in.type(0)));
  Builder& builder = in.builder();
  if (id == intrinsic::bitreverse) return in.write(builder.CreateUnaryIntrinsic(id, v[0]));
  Value* const count = id == intrinsic::ctlz ? builder.CreateBinaryIntrinsic(id, v[0], builder.getFalse())
                                             : builder.CreateUnaryIntrinsic(id, v[0]);
  return in.write(builder.CreateTrunc(count, builder.getInt32Ty()));
}

Status emit_brev(Instruction& in) { return emit_count(in, intrinsic::bitreverse); }
Status emit_clz(Instruction& in) { return emit_count(in, intrinsic::ctlz); }
Status emit_popc(Instruction& in) { return emit_count(in, intrinsic::ctpop); }

// Returns the selectors of the four bytes for a `mode` of prmt, for c from 0 to 3: of the PTX ISA's table.
std::array<unsigned, 4> selectors(std::size_t mode, unsigned c) {
  constexpr unsigned kForward[] = {0x3210, 0x4321, 0x5432, 0x6543}, kBackward[] = {0x5670, 0x6701, 0x7012, 0x0123};
  constexpr unsigned kEdgeLeft[] = {0x3210, 0x3211, 0x3222, 0x3333}, kEdgeRight[] = {0x0000, 0x1110, 0x2210, 0x3210};
  constexpr unsigned kHalves[] = {0x1010, 0x3232, 0x1010, 0x3232};
  const unsigned of_mode[] = {kForward[c], kBackward[c], 0x1111 * c, kEdgeLeft[c], kEdgeRight[c], kHalves[c]};
  const unsigned all = of_mode[mode];
  return {all & 15, all >> 4 & 15, all >> 8 & 15, all >> 12 & 15};
}

// Returns 32 bits of `wide` whose bytes `places` (i64 each) name.
Value* gathered(Builder& builder, Value* wide, const std::array<Value*, 4>& places) {
  Value* result = nullptr;
  for (unsigned i = 0; i < 4; ++i) {
    Value* const moved = builder.CreateLShr(wide, builder.CreateShl(places[i], 3));
    Value* const byte = builder.CreateAnd(builder.CreateTrunc(moved, builder.getInt32Ty()), builder.getInt32(255));
    Value* const placed = builder.CreateShl(byte, 8 * i);
    result = i == 0 ? placed : builder.CreateOr(result, placed);
  }
  return result;
}

// Returns the bytes that `selector` names; one with its bit 3 is replaced by its sign.
Value* permuted(Builder& builder, Value* wide, Value* selector) {
  std::array<Value*, 4> places{};
  Value* signs = builder.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value* const nibble = builder.CreateLShr(selector, 4 * i);
    places[i] = builder.CreateZExt(builder.CreateAnd(nibble, builder.getInt32(7)), builder.getInt64Ty());
    Value* const flag = builder.CreateAnd(builder.CreateLShr(nibble, 3), builder.getInt32(1));
    signs = builder.CreateOr(signs, builder.CreateShl(builder.CreateMul(flag, builder.getInt32(255)), 8 * i));
  }
  Value* const bytes = gathered(builder, wide, places);
  Value* const lowest = builder.CreateAnd(builder.CreateLShr(bytes, 7), builder.getInt32(0x01010101));
  Value* const replicated = builder.CreateMul(lowest, builder.getInt32(255));
  return builder.CreateOr(builder.CreateAnd(bytes, builder.CreateNot(signs)), builder.CreateAnd(replicated, signs));
}

Status emit_prmt(Instruction& in) {
  constexpr std::size_t kModes = 6;
  const std::size_t mode = in.take_any({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  KMUX_TRY(in.check(1, 4));
  if (in.type(0) != kB32) return in.refuse("its type must be b32");
  KMUX_ASSIGN(const auto v, in.sources(3, kB32));
  Builder& builder = in.builder();
  Value* const wide = concatenated(builder, v[0], v[1]);
  if (mode == kModes) return in.write(permuted(builder, wide, v[2]));
  Value* const c = builder.CreateAnd(v[2], builder.getInt32(3));
  Value* result = nullptr;
  for (unsigned i = 0; i < 4; ++i) {
    std::array<Value*, 4> places{};
    std::ranges::transform(selectors(mode, i), places.begin(), [&](unsigned place) { return builder.getInt64(place); });
    Value* const bytes = gathered(builder, wide, places);
    result = i == 0 ? bytes : builder.CreateSelect(builder.CreateICmpEQ(c, builder.getInt32(i)), bytes, result);
  }
  return in.write(result);
}

// Returns the function of `v` whose value for the bits i of them, the first one highest, is bit i of `table`.
Value* looked_up(Builder& builder, unsigned table, std::span<Value* const> v) {
  const unsigned half = 1U << v.size() >> 1;  // entries for each value of the first one
  const unsigned all = (1U << half) - 1;
  if (v.empty()) return builder.getInt32(table == 0 ? 0 : ~0U);
  const unsigned low = table & all, high = table >> half;
  const auto rest = [&](unsigned of) { return looked_up(builder, of, v.subspan(1)); };
  if (low == high) return rest(low);
  if (low == (high ^ all)) return builder.CreateXor(v[0], rest(low));
  if (low == 0) return builder.CreateAnd(v[0], rest(high));
  if (high == 0) return builder.CreateAnd(builder.CreateNot(v[0]), rest(low));
  if (high == all) return builder.CreateOr(v[0], rest(low));
  if (low == all) return builder.CreateOr(builder.CreateNot(v[0]), rest(high));
  return builder.CreateXor(rest(low), builder.CreateAnd(v[0], rest(low ^ high)));
}

// lop3.b32 d, a, b, c, table; lop3.or.b32 d|p, a, b, c, table, q: p is (d != 0) or q.
Status emit_lop3(Instruction& in) {
  const std::size_t join = in.take_any({"or", "and"});
  KMUX_TRY(in.check(1, join < 2 ? 6 : 5));
  if (in.type(0) != kB32) return in.refuse("its type must be b32");
  Builder& builder = in.builder();
  std::vector<Value*> v;
  for (std::size_t i = 1; i < 5; ++i) {
    KMUX_ASSIGN(Value* const one, in.read(i, kB32));
    v.push_back(one);
  }
  const auto* const table = llvm::dyn_cast<llvm::ConstantInt>(v[3]);
  if (table == nullptr || table->getZExtValue() > 255) return in.refuse("its table is not a number below 256");
  Value* const result = looked_up(builder, static_cast<unsigned>(table->getZExtValue()), std::span(v).first(3));
  if (join == 2) return in.write(result);
  KMUX_ASSIGN(Value* const q, in.read(5, kPredicate));
  Value* const is_set = builder.CreateICmpNE(result, builder.getInt32(0));
  Value* const p = join == 0 ? builder.CreateOr(is_set, q) : builder.CreateAnd(is_set, q);
  if (in.operand(0).kind != Operand::Kind::kPair) return in.refuse("it has no second result");
  KMUX_TRY(in.emitter().write(in.operand(0).parts[0], result));
  return in.emitter().write(in.operand(0).parts[1], p);
}

constexpr Family kFamilies[] = {{"and", emit_and},   {"or", emit_or},   {"xor", emit_xor},   {"not", emit_not},
                                {"cnot", emit_cnot}, {"shl", emit_shl}, {"shr", emit_shr},   {"shf", emit_shf},
                                {"bfe", emit_bfe},   {"bfi", emit_bfi}, {"bmsk", emit_bmsk}, {"bfind", emit_bfind},
                                {"brev", emit_brev}, {"clz", emit_clz}, {"popc", emit_popc}, {"prmt", emit_prmt},
                                {"lop3", emit_lop3}};

}  // namespace
}  // namespace bits

std::span<const Family> bit_families() { return bits::kFamilies; }

}  // namespace kmux::simt::ptx
