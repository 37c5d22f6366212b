// Moves, selection, and addresses: mov, selp, slct, cvta.
#include "llvm/ADT/StringRef.h"
#include "simt/analysis/thread_calls.h"
#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace moves {
namespace {

Value* thread_call(Builder& builder, std::string_view name) { return make_call(builder, name, builder.getInt32Ty()); }

// Returns the value of lanemask_`kind`; null for other kinds.
Value* lane_mask(Builder& builder, std::string_view kind) {
  Value* const equal = builder.CreateShl(builder.getInt32(1), thread_call(builder, call::kLane));
  Value* const less = builder.CreateSub(equal, builder.getInt32(1));
  if (kind == "eq") return equal;
  if (kind == "lt") return less;
  if (kind == "le") return builder.CreateOr(less, equal);
  if (kind == "gt") return builder.CreateNot(builder.CreateOr(less, equal));
  return kind == "ge" ? builder.CreateNot(less) : nullptr;
}

/// A special register with three axes, and the function of its value.
struct Index {
  enum class Of : std::uint8_t { kItself, kQuotient, kRest };  // by the extent of a cluster
  std::string_view name;
  const std::string_view* calls;
  Of of = Of::kItself;
};

constexpr Index kIndices[] = {{"tid.", call::kThread},
                              {"ntid.", call::kBlockDim},
                              {"ctaid.", call::kBlock},
                              {"nctaid.", call::kGridDim},
                              {"clusterid.", call::kBlock, Index::Of::kQuotient},
                              {"nclusterid.", call::kGridDim, Index::Of::kQuotient},
                              {"cluster_ctaid.", call::kBlock, Index::Of::kRest},
                              {"cluster_nctaid.", call::kClusterDim}};

Value* index_of(Builder& builder, const Index& index, unsigned axis) {
  Value* const value = thread_call(builder, index.calls[axis]);
  if (index.of == Index::Of::kItself) return value;
  Value* const extent = thread_call(builder, call::kClusterDim[axis]);
  return index.of == Index::Of::kQuotient ? builder.CreateUDiv(value, extent) : builder.CreateURem(value, extent);
}

// Returns the number of the block in its cluster, or for `of_all` the number of blocks.
Value* cluster_rank(Builder& builder, bool of_all) {
  const auto extent = [&](unsigned axis) { return thread_call(builder, call::kClusterDim[axis]); };
  const auto place = [&](unsigned axis) {
    return builder.CreateURem(thread_call(builder, call::kBlock[axis]), extent(axis));
  };
  if (of_all) return builder.CreateMul(builder.CreateMul(extent(0), extent(1)), extent(2));
  Value* const of_rows = builder.CreateAdd(builder.CreateMul(place(2), extent(1)), place(1));
  return builder.CreateAdd(builder.CreateMul(of_rows, extent(0)), place(0));
}

// Returns the value of a special register of PTX; null for others.
Value* special_register(Builder& builder, std::string_view name) {
  constexpr std::string_view kMasks = "lanemask_";
  if (name == "laneid") return thread_call(builder, call::kLane);
  if (name.starts_with(kMasks)) return lane_mask(builder, name.substr(kMasks.size()));
  if (name == "cluster_ctarank") return cluster_rank(builder, false);
  if (name == "cluster_nctarank") return cluster_rank(builder, true);
  for (const Index& index : kIndices) {
    if (!name.starts_with(index.name)) continue;
    const std::string_view axis = name.substr(index.name.size());
    const std::size_t number = std::string_view("xyz").find(axis);
    if (axis.size() != 1 || number > 2) return nullptr;
    return index_of(builder, index, static_cast<unsigned>(number));
  }
  return nullptr;
}

Status move_special(Instruction& in) {
  const std::string name = in.operand(1).name;
  Value* const value = in.type(0).whole() == 32 ? special_register(in.builder(), name) : nullptr;
  if (value == nullptr) return in.refuse("register \"%" + name + "\" has no value here");
  return in.write(value);
}

Type part_of(Type whole, std::size_t count) {
  return {Type::Kind::kBits, whole.whole() / static_cast<unsigned>(count)};
}

Status check_vector(Type whole, const Operand& vector) {
  const std::size_t count = vector.parts.size();
  if (whole != kPredicate && (count == 2 || count == 4) && whole.whole() / count >= 8) return Ok{};
  return Instruction::refuse("it has " + std::to_string(count) + " parts of " + std::to_string(whole.whole()) +
                             " bits");
}

// mov.b64 d, {a, b}: the first part is the lowest.
Status pack(Instruction& in, Type type) {
  const Operand& vector = in.operand(1);
  KMUX_TRY(check_vector(type, vector));
  const Type part = part_of(type, vector.parts.size());
  llvm::Type* const wide = in.builder().getIntNTy(type.whole());
  Value* all = llvm::Constant::getNullValue(wide);
  for (std::size_t i = 0; i < vector.parts.size(); ++i) {
    KMUX_ASSIGN(Value* const one, in.emitter().read(vector.parts[i], part));
    Value* const moved = in.builder().CreateShl(in.builder().CreateZExt(one, wide), i * part.bits);
    all = i == 0 ? moved : in.builder().CreateOr(all, moved);
  }
  return in.write(all);
}

// mov.b64 {d, e}, a.
Status unpack(Instruction& in, Type type) {
  const Operand& vector = in.operand(0);
  KMUX_TRY(check_vector(type, vector));
  const Type part = part_of(type, vector.parts.size());
  KMUX_ASSIGN(Value* const all, in.read(1, Type{Type::Kind::kBits, type.whole()}));
  for (std::size_t i = 0; i < vector.parts.size(); ++i) {
    Value* const moved = i == 0 ? all : in.builder().CreateLShr(all, i * part.bits);
    Value* const one = in.builder().CreateTrunc(moved, in.builder().getIntNTy(part.bits));
    KMUX_TRY(in.emitter().write(vector.parts[i], one));
  }
  return Ok{};
}

Status emit_mov(Instruction& in) {
  KMUX_TRY(in.check(1, 2));
  const Type type = in.type(0);
  if (in.operand(1).kind == Operand::Kind::kSpecial) return move_special(in);
  if (in.operand(1).kind == Operand::Kind::kVector) return pack(in, type);
  if (in.operand(0).kind == Operand::Kind::kVector) return unpack(in, type);
  if (type.whole() == 64 && in.operand(1).kind != Operand::Kind::kDouble) {
    KMUX_ASSIGN(Value* const value, in.emitter().read_whole(in.operand(1)));
    if (value->getType()->isPointerTy()) return in.write(value);
  }
  KMUX_ASSIGN(Value* const value, in.read(1, type));
  return in.write(value);
}

Status emit_selp(Instruction& in) {
  KMUX_TRY(in.check(1, 4));
  KMUX_ASSIGN(Value* const a, in.read(1, in.type(0)));
  KMUX_ASSIGN(Value* const b, in.read(2, in.type(0)));
  KMUX_ASSIGN(Value* const condition, in.read(3, kPredicate));
  return in.write(in.builder().CreateSelect(condition, a, b));
}

// slct.u32.s32 d, a, b, c: a if c >= 0, else b, also if c is NaN.
Status emit_slct(Instruction& in) {
  const bool flushes = in.take("ftz");
  KMUX_TRY(in.check(2, 4));
  const Type tested = in.type(1);
  KMUX_ASSIGN(Value* const a, in.read(1, in.type(0)));
  KMUX_ASSIGN(Value* const b, in.read(2, in.type(0)));
  KMUX_ASSIGN(Value * c, in.read(3, tested));
  Value* condition = nullptr;
  if (tested == Type{Type::Kind::kSigned, 32}) {
    condition = in.builder().CreateICmpSGE(c, in.builder().getInt32(0));
  } else if (tested == Type{Type::Kind::kFloat, 32}) {
    if (flushes) c = flushed(in.builder(), c);
    condition = in.builder().CreateFCmpOGE(c, llvm::ConstantFP::get(c->getType(), 0));
  } else {
    return in.refuse("it tests neither an s32 nor an f32");
  }
  return in.write(in.builder().CreateSelect(condition, a, b));
}

// An address in a state space is the lower half of the generic address, or all of it.
Status emit_cvta(Instruction& in) {
  const bool is_to = in.take("to");
  const bool is_shared = in.take_any({"shared", "shared::cta"}) < 2;
  if (!is_shared && in.take_any({"global", "local", "const", "param"}) == 4)
    return in.refuse("its state space is missing");
  KMUX_TRY(in.check(1, 2));
  const unsigned bits = in.type(0).whole();
  if (bits != 64 && !(is_shared && is_to)) return in.refuse("generic addresses have 64 bits");
  if (is_shared && !is_to) {
    KMUX_ASSIGN(Value* const address, register_address(in.emitter(), in.operand(1), true));
    return in.write(address);
  }
  KMUX_ASSIGN(Value* const value, in.emitter().read_whole(in.operand(1)));
  if (bits_of(value->getType()) == bits) return in.write(value);
  if (bits != 32 || bits_of(value->getType()) != 64) return in.refuse("its address has another size");
  Builder& builder = in.builder();
  return in.write(builder.CreateTrunc(with_type(builder, value, builder.getInt64Ty()), builder.getInt32Ty()));
}

constexpr Family kFamilies[] = {{"mov", emit_mov}, {"selp", emit_selp}, {"slct", emit_slct}, {"cvta", emit_cvta}};

}  // namespace
}  // namespace moves

std::span<const Family> move_families() { return moves::kFamilies; }

}  // namespace kmux::simt::ptx
