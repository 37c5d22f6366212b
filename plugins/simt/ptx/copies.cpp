// Asynchronous copies: cp.async, cp.async.bulk, st.async. Each is done when it is issued, which the PTX ISA allows: no
// program may rely on the values before it has waited.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"
#include "simt/ptx/units.h"
#include "simt/units/reductions.h"

namespace kmux::simt::ptx {
namespace copies {
namespace {

constexpr unsigned kWord = 4;  // bytes: sizes of cp.async are multiples

// Copies `bytes` bytes, whose addresses are aligned to them.
void copy_whole(Builder& builder, Value* to, Value* from, unsigned bytes) {
  for (unsigned at = 0; at < bytes; at += kWord) {
    const llvm::Align align(at == 0 ? bytes : at % 8 == 0 ? 8 : kWord);
    const auto place = [&](Value* base) { return builder.CreateConstGEP1_32(builder.getInt8Ty(), base, at); };
    builder.CreateAlignedStore(builder.CreateAlignedLoad(builder.getInt32Ty(), place(from), align), place(to), align);
  }
}

// Copies the first `given` bytes and fills the rest with zeros, byte by byte: `from` ends behind the given ones.
void copy_some(Builder& builder, Value* to, Value* from, unsigned bytes, Value* given) {
  for (unsigned at = 0; at < bytes; ++at) {
    llvm::BasicBlock *const before = builder.GetInsertBlock(), *const reads = add_block(builder),
                            *const after = add_block(builder);
    builder.CreateCondBr(builder.CreateICmpUGT(given, builder.getInt32(at)), reads, after);
    builder.SetInsertPoint(reads);
    const auto place = [&](Value* base) { return builder.CreateConstGEP1_32(builder.getInt8Ty(), base, at); };
    Value* const value = builder.CreateLoad(builder.getInt8Ty(), place(from));
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
    llvm::PHINode* const byte = builder.CreatePHI(builder.getInt8Ty(), 2);
    byte->addIncoming(builder.getInt8(0), before);
    byte->addIncoming(value, reads);
    builder.CreateStore(byte, place(to));
  }
}

// `given`: the bytes to copy, of which no more than `bytes` count.
void copy_given(Builder& builder, Value* to, Value* from, unsigned bytes, Value* given) {
  llvm::BasicBlock *const whole = add_block(builder), *const some = add_block(builder),
                          *const after = add_block(builder);
  builder.CreateCondBr(builder.CreateICmpUGE(given, builder.getInt32(bytes)), whole, some);
  builder.SetInsertPoint(whole);
  copy_whole(builder, to, from, bytes);
  builder.CreateBr(after);
  builder.SetInsertPoint(some);
  copy_some(builder, to, from, bytes, given);
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

// Returns the bytes to copy: the source size that operand 3 gives, or none if it is a true predicate; null for all.
Result<Value*> given_bytes(Instruction& in, unsigned bytes) {
  Builder& builder = in.builder();
  const bool has_policy = in.take("L2::cache_hint");
  const std::size_t given = in.operands() - (has_policy ? 1U : 0U);
  if (given < 3 || given > 4) return in.refuse("it has another number of operands");
  if (given == 3) return nullptr;
  if (const Result<Value*> size = in.read(3, kB32)) return *size;
  KMUX_ASSIGN(Value* const ignores, in.read(3, kPredicate));
  return builder.CreateSelect(ignores, builder.getInt32(0), builder.getInt32(bytes));
}

void take_caches(Instruction& in) {
  in.take_any({"ca", "cg"});
  in.take_any({"L2::64B", "L2::128B", "L2::256B"});
}

// cp.async.cg.shared.global [to], [from], 16, given.
Status emit_small(Instruction& in) {
  take_caches(in);
  if (in.take_any({"shared", "shared::cta"}) == 2 || !in.take("global"))
    return in.refuse("it copies from global to shared memory");
  KMUX_ASSIGN(const Value* const size, in.operands() < 3 ? Result<Value*>(nullptr) : in.read(2, kB32));
  const auto* const constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(size);
  const std::uint64_t bytes = constant == nullptr ? 0 : constant->getZExtValue();
  if (bytes != 4 && bytes != 8 && bytes != 16) return in.refuse("it copies 4, 8 or 16 bytes");
  const auto count = static_cast<unsigned>(bytes);
  KMUX_ASSIGN(Value* const given, given_bytes(in, count));
  KMUX_TRY(in.check_parts());
  KMUX_ASSIGN(Value* const to, address(in.emitter(), in.operand(0), true));
  KMUX_ASSIGN(Value* const from, address(in.emitter(), in.operand(1), false));
  if (given == nullptr) {
    copy_whole(in.builder(), to, from, count);
  } else {
    copy_given(in.builder(), to, from, count, given);
  }
  call_note(in.builder(), "copy", {to, in.builder().getInt64(bytes)});
  return Ok{};
}

// cp.async.mbarrier.arrive.noinc.shared.b64 [a]. Without .noinc it adds the arrival that it then makes.
Status emit_arrive(Instruction& in) {
  const bool counts = in.take("noinc");
  const bool is_shared = in.take_any({"shared", "shared::cta"}) < 2;
  if (!in.take("arrive")) return in.refuse("its operation is unknown");
  KMUX_TRY(in.check(1, 1));
  KMUX_ASSIGN(Value* const barrier, address(in.emitter(), in.operand(0), is_shared));
  Builder& builder = in.builder();
  call_note(builder, "copy_arrive", {barrier});
  if (counts) call_unit(builder, "mbarrier.arrive", builder.getInt64Ty(), {barrier, builder.getInt32(1)});
  return Ok{};
}

// cp.async.wait_group 1, cp.async.bulk.commit_group: copies are done already, so these are notes for checks.
Status emit_group(Instruction& in, std::string_view note, bool has_number) {
  in.take("read");
  KMUX_TRY(in.check(0, has_number ? 1 : 0));
  llvm::SmallVector<Value*> arguments;
  if (has_number) {
    KMUX_ASSIGN(Value* const groups, in.read(0, kB32));
    arguments.push_back(groups);
  }
  call_note(in.builder(), note, arguments);
  return Ok{};
}

/// The state spaces of a bulk copy, and its other parts.
struct Bulk {
  bool to_shared = false, from_shared = false;
  bool has_barrier = false, has_mask = false, has_policy = false;
};

Result<Bulk> bulk_of(Instruction& in) {
  Bulk bulk;
  bulk.to_shared = in.take("shared::cluster");
  const bool has_global = in.take("global");
  const bool has_block = in.take("shared::cta");
  if (!bulk.to_shared && has_block && has_global) {  // "shared::cta.global" loads, "global.shared::cta" stores
    const auto& parts = in.statement().parts;
    bulk.to_shared = std::ranges::find(parts, "shared::cta") < std::ranges::find(parts, "global");
    bulk.from_shared = !bulk.to_shared;
  } else if (bulk.to_shared ? has_global == has_block : !has_block) {
    return in.refuse("its state spaces are not those of a bulk copy");
  } else {
    bulk.from_shared = has_block;
  }
  bulk.has_barrier = in.take("mbarrier::complete_tx::bytes");
  if (bulk.has_barrier == in.take("bulk_group") || bulk.has_barrier != bulk.to_shared)
    return in.refuse("a copy to shared memory completes at an mbarrier, another one in a group");
  bulk.has_mask = in.take("multicast::cluster");
  bulk.has_policy = in.take("L2::cache_hint");
  in.take_any({"cta_group::1", "cta_group::2"});
  return bulk;
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier], mask, policy.
Status emit_bulk_copy(Instruction& in) {
  KMUX_ASSIGN(const Bulk bulk, bulk_of(in));
  const auto is_set = [](bool one) -> std::size_t { return one ? 1 : 0; };
  KMUX_TRY(in.check(0, 3 + is_set(bulk.has_barrier) + is_set(bulk.has_mask) + is_set(bulk.has_policy)));
  Builder& builder = in.builder();
  KMUX_ASSIGN(Value* const to, address(in.emitter(), in.operand(0), bulk.to_shared));
  KMUX_ASSIGN(Value* const from, address(in.emitter(), in.operand(1), bulk.from_shared));
  KMUX_ASSIGN(Value* const bytes, in.read(2, kB32));
  llvm::SmallVector<Value*> arguments{to, from, bytes};
  if (bulk.has_barrier) {
    KMUX_ASSIGN(Value* const barrier, address(in.emitter(), in.operand(3), true));
    arguments.push_back(barrier);
  }
  if (bulk.has_mask) {
    KMUX_ASSIGN(Value* const mask, in.read(4, kB16));
    arguments.push_back(builder.CreateZExt(mask, builder.getInt32Ty()));
  }
  const char* const unit = bulk.has_mask ? "bulk.load_multicast" : bulk.has_barrier ? "bulk.load" : "bulk.store";
  call_unit(builder, unit, builder.getVoidTy(), arguments);
  return Ok{};
}

constexpr std::string_view kReductions[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};  // as Reduction

// Returns the number of the reduction that the mnemonic names.
Result<unsigned> reduction_of(Instruction& in) {
  for (unsigned i = 0; i < std::size(kReductions); ++i) {
    if (in.take(kReductions[i])) return i;
  }
  return in.refuse("its operation is unknown");
}

using TypeKind = Type::Kind;

// Source: PTX ISA, cp.reduce.async.bulk.
constexpr std::pair<Type, ElementType> kElementTypes[] = {
    {{TypeKind::kFloat, 16}, ElementType::kF16},    {{TypeKind::kBfloat, 16}, ElementType::kBf16},
    {{TypeKind::kFloat, 32}, ElementType::kF32},    {{TypeKind::kFloat, 64}, ElementType::kF64},
    {{TypeKind::kBits, 32}, ElementType::kU32},     {{TypeKind::kBits, 64}, ElementType::kU64},
    {{TypeKind::kUnsigned, 32}, ElementType::kU32}, {{TypeKind::kUnsigned, 64}, ElementType::kU64},
    {{TypeKind::kSigned, 32}, ElementType::kS32},   {{TypeKind::kSigned, 64}, ElementType::kS64}};

Result<ElementType> element_type(Type type) {
  const auto* const found = std::ranges::find(kElementTypes, type, &std::pair<Type, ElementType>::first);
  if (found != std::end(kElementTypes)) return found->second;
  return Instruction::refuse("this type is not supported");
}

// cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [to], [from], bytes.
Status emit_bulk_reduction(Instruction& in) {
  KMUX_ASSIGN(const Bulk bulk, bulk_of(in));
  KMUX_ASSIGN(const unsigned operation, reduction_of(in));
  in.take("noftz");
  KMUX_TRY(in.check(1, 3U + (bulk.has_barrier ? 1U : 0U) + (bulk.has_policy ? 1U : 0U)));
  KMUX_ASSIGN(const ElementType type, element_type(in.type(0)));
  Builder& builder = in.builder();
  KMUX_ASSIGN(Value* const to, address(in.emitter(), in.operand(0), bulk.to_shared));
  KMUX_ASSIGN(Value* const from, address(in.emitter(), in.operand(1), bulk.from_shared));
  KMUX_ASSIGN(Value* const bytes, in.read(2, kB32));
  Value* barrier = llvm::ConstantPointerNull::get(builder.getPtrTy());
  if (bulk.has_barrier) {
    KMUX_ASSIGN(barrier, address(in.emitter(), in.operand(3), true));
  }
  call_unit(builder, "bulk.reduce", builder.getVoidTy(),
            {to, from, bytes, builder.getInt32(operation), builder.getInt32(static_cast<unsigned>(type)), barrier});
  return Ok{};
}

// Returns an array of `values`.
Value* stored(Builder& builder, const std::vector<Value*>& values, llvm::Type* type) {
  Value* const array = add_array(builder, type, static_cast<unsigned>(values.size()));
  for (unsigned i = 0; i < values.size(); ++i)
    builder.CreateStore(values[i], builder.CreateConstGEP1_32(type, array, i));
  return array;
}

/// The operand "[map, {x, y}]" of a copy by a tensor map.
struct TensorPlace {
  Value* map = nullptr;
  Value* coordinates = nullptr;
  unsigned rank = 0;
};

Result<TensorPlace> tensor_place(Instruction& in, std::size_t i, std::size_t rank) {
  const Operand& operand = in.operand(i);
  const bool is_list = operand.kind == Operand::Kind::kAddress && operand.parts.size() == 2;
  if (!is_list || operand.bits != 0) return in.refuse("its operand is not \"[map, {coordinates}]\"");
  const Operand& list = operand.parts[1];
  const std::span<const Operand> all = elements_of(list);
  if (all.size() != rank) return in.refuse("it has another number of coordinates");
  TensorPlace place{.rank = static_cast<unsigned>(rank)};
  KMUX_ASSIGN(place.map, register_address(in.emitter(), operand.parts[0], false));
  std::vector<Value*> values;
  for (const Operand& one : all) {
    KMUX_ASSIGN(Value* const value, in.emitter().read(one, kB32));
    values.push_back(value);
  }
  place.coordinates = stored(in.builder(), values, in.builder().getInt32Ty());
  return place;
}

// Returns the offsets of an im2col load, the operand `i`, as an array; null for a tile.
Result<Value*> im2col_offsets(Instruction& in, std::size_t i, bool is_im2col) {
  Builder& builder = in.builder();
  if (!is_im2col) return llvm::ConstantPointerNull::get(builder.getPtrTy());
  const Operand& list = in.operand(i);
  if (list.kind != Operand::Kind::kVector) return in.refuse("its offsets are missing");
  std::vector<Value*> values;
  for (const Operand& one : list.parts) {
    KMUX_ASSIGN(Value* const value, in.emitter().read(one, kB16));
    values.push_back(value);
  }
  return stored(builder, values, builder.getInt16Ty());
}

// Takes ".3d". Returns the rank.
Result<std::size_t> take_rank(Instruction& in) {
  const std::size_t rank = in.take_any({"1d", "2d", "3d", "4d", "5d"}) + 1;
  if (rank == 6) return in.refuse("its number of dimensions is missing");
  return rank;
}

// cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [map, {x, y}], [barrier].
Status emit_tensor_load(Instruction& in, const Bulk& bulk, std::size_t rank, bool is_im2col) {
  const std::size_t mask = is_im2col ? 4 : 3;
  KMUX_TRY(in.check(0, mask + (bulk.has_mask ? 1U : 0U) + (bulk.has_policy ? 1U : 0U)));
  Builder& builder = in.builder();
  KMUX_ASSIGN(Value* const to, address(in.emitter(), in.operand(0), true));
  KMUX_ASSIGN(const TensorPlace place, tensor_place(in, 1, rank));
  KMUX_ASSIGN(Value* const barrier, address(in.emitter(), in.operand(2), true));
  KMUX_ASSIGN(Value* const offsets, im2col_offsets(in, 3, is_im2col));
  llvm::SmallVector<Value*> arguments{place.map, to, place.coordinates, builder.getInt32(place.rank), offsets, barrier};
  if (bulk.has_mask) {
    KMUX_ASSIGN(Value* const blocks, in.read(mask, kB16));
    arguments.push_back(builder.CreateZExt(blocks, builder.getInt32Ty()));
  }
  call_unit(builder, bulk.has_mask ? "tensor.load_multicast" : "tensor.load", builder.getVoidTy(), arguments);
  return Ok{};
}

// cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [from].
Status emit_tensor_store(Instruction& in, const Bulk& bulk, std::size_t rank, std::optional<unsigned> operation) {
  KMUX_TRY(in.check(0, bulk.has_policy ? 3 : 2));
  Builder& builder = in.builder();
  KMUX_ASSIGN(const TensorPlace place, tensor_place(in, 0, rank));
  KMUX_ASSIGN(Value* const from, address(in.emitter(), in.operand(1), true));
  llvm::SmallVector<Value*> arguments{place.map, from, place.coordinates, builder.getInt32(place.rank)};
  if (operation) arguments.push_back(builder.getInt32(*operation));
  call_unit(builder, operation ? "tensor.reduce" : "tensor.store", builder.getVoidTy(), arguments);
  return Ok{};
}

Status emit_tensor(Instruction& in, bool reduces) {
  KMUX_ASSIGN(const std::size_t rank, take_rank(in));
  const std::size_t mode = in.take_any({"tile", "im2col", "im2col_no_offs"});
  KMUX_ASSIGN(const Bulk bulk, bulk_of(in));
  std::optional<unsigned> operation;
  if (reduces) {
    KMUX_ASSIGN(operation, reduction_of(in));
  }
  if (bulk.to_shared && (reduces || bulk.from_shared)) return in.refuse("its state spaces are not those of a copy");
  if (bulk.to_shared) return emit_tensor_load(in, bulk, rank, mode == 1);
  if (mode == 1 || mode == 2) return in.refuse("it stores by an im2col map");
  return emit_tensor_store(in, bulk, rank, operation);
}

// Caches of a processor need no advice.
Status emit_prefetch(Instruction& in) {
  while (!in.take_next().empty()) continue;
  return Ok{};
}

Status emit_bulk(Instruction& in) {
  if (in.take("commit_group")) return emit_group(in, "bulk_commit", false);
  if (in.take("wait_group")) return emit_group(in, "bulk_wait", true);
  if (in.take("prefetch")) return emit_prefetch(in);
  return in.take("tensor") ? emit_tensor(in, false) : emit_bulk_copy(in);
}

Status emit_cp(Instruction& in) {
  const bool reduces = in.take("reduce");
  if (!in.take("async")) return in.refuse("it must be cp.async or cp.reduce.async");
  const bool is_bulk = in.take("bulk");
  if (reduces) {
    if (!is_bulk) return in.refuse("it reduces in bulk alone");
    return in.take("tensor") ? emit_tensor(in, true) : emit_bulk_reduction(in);
  }
  if (is_bulk) return emit_bulk(in);
  if (in.take("commit_group")) return emit_group(in, "copy_commit", false);
  if (in.take("wait_all")) return emit_group(in, "copy_wait_all", false);
  if (in.take("wait_group")) return emit_group(in, "copy_wait", true);
  return in.take("mbarrier") ? emit_arrive(in) : emit_small(in);
}

constexpr Family kFamilies[] = {{"cp", emit_cp, Family::Effect::kMemory}};

}  // namespace

// st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [a], {x, y}, [barrier].
Status emit_async_store(Instruction& in) {
  in.take("weak");
  if (!in.take("shared::cluster") || !in.take("mbarrier::complete_tx::bytes"))
    return in.refuse("it stores to another block, and completes at an mbarrier");
  constexpr std::size_t kCounts[] = {2, 4, 1};
  const std::size_t count = kCounts[in.take_any({"v2", "v4"})];
  KMUX_TRY(in.check(1, 3));
  const Type type = in.type(0);
  KMUX_ASSIGN(Value* const to, address(in.emitter(), in.operand(0), true));
  KMUX_ASSIGN(Value* const barrier, address(in.emitter(), in.operand(2), true));
  const std::span<const Operand> values = elements_of(in.operand(1));
  if (values.size() != count) return in.refuse("its operand has another number of elements than its type");
  Builder& builder = in.builder();
  std::vector<Value*> elements;
  for (const Operand& one : values) {
    KMUX_ASSIGN(Value* const value, in.emitter().read(one, type));
    elements.push_back(value);
  }
  Value* const from = stored(builder, elements, elements.front()->getType());
  call_unit(builder, "store.async", builder.getVoidTy(),
            {to, from, builder.getInt32(static_cast<unsigned>(count * type.whole() / 8)), barrier});
  return Ok{};
}

// st.bulk.weak.shared::cta [a], bytes, 0.
Status emit_bulk_fill(Instruction& in) {
  in.take("weak");
  const bool is_shared = in.take("shared::cta");
  KMUX_TRY(in.check(0, 3));
  if (in.operand(2).kind != Operand::Kind::kInteger || in.operand(2).bits != 0) return in.refuse("it fills with 0");
  KMUX_ASSIGN(Value* const to, address(in.emitter(), in.operand(0), is_shared));
  KMUX_ASSIGN(Value* const bytes, in.read(1, kB64));
  call_unit(in.builder(), "bulk.clear", in.builder().getVoidTy(), {to, bytes});
  return Ok{};
}

}  // namespace copies

Status emit_special_store(Instruction& in) {
  if (in.take("async")) return copies::emit_async_store(in);
  in.take("bulk");
  return copies::emit_bulk_fill(in);
}

std::span<const Family> copy_families() { return copies::kFamilies; }

}  // namespace kmux::simt::ptx
