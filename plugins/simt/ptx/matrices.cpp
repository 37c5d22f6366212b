// Matrices of warps: mma, wgmma, ldmatrix, stmatrix, movmatrix. Units of the runtime multiply and move them.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"
#include "simt/ptx/matrix_forms.h"
#include "simt/ptx/units.h"

namespace kmux::simt::ptx {
namespace matrices {
namespace {

using Builder = llvm::IRBuilder<>;

/// Registers of a lane in memory, where units read and write them.
struct Registers {
  Value* memory = nullptr;
  Type type;
  unsigned count = 0;
};

Registers add_registers(Instruction& in, Type type, unsigned count) {
  return {add_array(in.builder(), in.builder().getIntNTy(type.bits), count), type, count};
}

// Returns the registers of an operand, which must be `count`.
Result<std::span<const Operand>> registers_of(const Operand& operand, unsigned count) {
  const std::span<const Operand> all = elements_of(operand);
  if (all.size() == count) return all;
  return Instruction::refuse("an operand has " + std::to_string(all.size()) + " registers instead of " +
                             std::to_string(count));
}

Value* place_of(Builder& builder, const Registers& registers, unsigned i) {
  return builder.CreateConstInBoundsGEP1_32(builder.getIntNTy(registers.type.bits), registers.memory, i);
}

Status store(Instruction& in, const Operand& operand, const Registers& registers) {
  KMUX_ASSIGN(const auto all, registers_of(operand, registers.count));
  for (unsigned i = 0; i < registers.count; ++i) {
    KMUX_ASSIGN(Value* const value, in.emitter().read(all[i], registers.type));
    in.builder().CreateStore(value, place_of(in.builder(), registers, i));
  }
  return Ok{};
}

Status load(Instruction& in, const Operand& operand, const Registers& registers) {
  KMUX_ASSIGN(const auto all, registers_of(operand, registers.count));
  llvm::Type* const type = in.builder().getIntNTy(registers.type.bits);
  for (unsigned i = 0; i < registers.count; ++i)
    KMUX_TRY(in.emitter().write(all[i], in.builder().CreateLoad(type, place_of(in.builder(), registers, i))));
  return Ok{};
}

Type type_of_registers(MatrixType type) { return register_bits(type) == 64 ? kB64 : kB32; }

// Returns registers that have operand `i`, of `elements` elements in all lanes.
Result<Registers> stored_matrix(Instruction& in, std::size_t i, MatrixType type, unsigned elements) {
  const Registers registers = add_registers(in, type_of_registers(type), lane_registers(type, elements));
  KMUX_TRY(store(in, in.operand(i), registers));
  return registers;
}

Value* constant_of(Builder& builder, const MatrixProduct& product) {
  std::array<std::uint8_t, sizeof product> bytes;
  std::memcpy(bytes.data(), &product, sizeof product);
  llvm::Constant* const content = llvm::ConstantDataArray::get(builder.getContext(), bytes);
  auto* const constant = new llvm::GlobalVariable(*builder.GetInsertBlock()->getModule(), content->getType(), true,
                                                  llvm::GlobalValue::PrivateLinkage, content, "kmux.product");
  constant->setAlignment(llvm::Align(alignof(MatrixProduct)));
  constant->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return constant;
}

Status check_operands(const Instruction& in, std::size_t count) {
  if (in.operands() == count) return Ok{};
  return in.refuse("it has " + std::to_string(in.operands()) + " operands instead of " + std::to_string(count));
}

// Returns operand `i`, which must be a number.
Result<std::int64_t> immediate(Instruction& in, std::size_t i) {
  KMUX_ASSIGN(const Value* const value, in.read(i, kB32));
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (number == nullptr) return in.refuse("an operand that must be a number is a register");
  return number->getSExtValue();
}

// Takes the number of the lanes that have metadata. A lane has 32 bits: those of 16 rows fill 16 or 32 of a quad's lanes.
Status take_selector(Instruction& in, std::size_t i, MatrixProduct& product) {
  KMUX_ASSIGN(const std::int64_t selector, immediate(in, i));
  const unsigned bits = product.k * (element_bits(product.a) == 32 ? 2U : 1U);  // of a row
  if (selector < 0 || selector >= 64 / bits) return in.refuse("its selector of metadata is too large");
  product.selector = static_cast<std::uint8_t>(selector);
  return Ok{};
}

void call_product(Instruction& in, std::string_view unit, std::vector<Value*> arguments, Value* metadata) {
  if (metadata != nullptr) arguments.push_back(metadata);
  Builder& builder = in.builder();
  call_unit(builder, std::string(unit) + (metadata == nullptr ? "" : "_sparse"), builder.getVoidTy(), arguments);
}

// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}; mma.sp has a metadata register and its selector, too.
Status emit_mma(Instruction& in) {
  KMUX_ASSIGN(MatrixProduct product, mma_form(in.statement()));
  KMUX_TRY(check_operands(in, product.is_sparse ? 6 : 4));
  Value* metadata = nullptr;
  if (product.is_sparse) {
    KMUX_TRY(take_selector(in, 5, product));
    KMUX_ASSIGN(metadata, in.read(4, kB32));
  }
  const unsigned m = product.m * products_of(product), n = product.n, k = product.k;
  const unsigned of_c = lane_registers(product.c, m * n), of_d = lane_registers(product.d, m * n);
  Registers sums = add_registers(in, type_of_registers(product.d), std::max(of_c, of_d));
  KMUX_ASSIGN(const Registers a, stored_matrix(in, 1, product.a, m * packed(product).k));
  KMUX_ASSIGN(const Registers b, stored_matrix(in, 2, product.b, k * n * products_of(product)));
  sums.count = of_c;
  KMUX_TRY(store(in, in.operand(3), sums));
  call_product(in, "mma", {constant_of(in.builder(), product), sums.memory, a.memory, b.memory}, metadata);
  sums.count = of_d;
  return load(in, in.operand(0), sums);
}

// Takes the scales 1 and -1 of A and B, operands `first` and the next.
Status take_scales(Instruction& in, std::size_t first, MatrixProduct& product) {
  for (const std::size_t i : {first, first + 1}) {
    KMUX_ASSIGN(const std::int64_t scale, immediate(in, i));
    if (scale != 1 && scale != -1) return in.refuse("a scale is not 1 or -1");
    product.is_negated = product.is_negated != (scale == -1);
  }
  return Ok{};
}

Status take_order(Instruction& in, std::size_t i, bool& is_mn_major) {
  KMUX_ASSIGN(const std::int64_t order, immediate(in, i));
  if (order != 0 && order != 1) return in.refuse("a transposition is not 0 or 1");
  is_mn_major = order == 1;
  return Ok{};
}

// Takes the immediates from `first` on, which follow the predicate: scales of numbers with a fraction, transpositions of
// those with 16 bits.
Status take_immediates(Instruction& in, std::size_t first, bool is_a_described, MatrixProduct& product) {
  if (is_integer(product.a)) return check_operands(in, first);
  if (element_bits(product.a) != 16) {
    KMUX_TRY(check_operands(in, first + 2));
    return take_scales(in, first, product);
  }
  KMUX_TRY(check_operands(in, first + (is_a_described ? 4 : 3)));
  KMUX_TRY(take_scales(in, first, product));
  if (is_a_described) KMUX_TRY(take_order(in, first + 2, product.is_a_mn_major));
  return take_order(in, first + (is_a_described ? 3 : 2), product.is_b_mn_major);
}

// wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {d}, a, b, p, 1, 1, 0, 0. With .sp metadata and selector stand before p.
Status emit_product_of_group(Instruction& in) {
  KMUX_ASSIGN(MatrixProduct product, wgmma_form(in.statement()));
  const std::size_t predicate = product.is_sparse ? 5 : 3;
  if (in.operands() <= predicate) return check_operands(in, predicate + 1);
  const bool is_a_described = in.operand(1).kind != Operand::Kind::kVector;
  KMUX_TRY(take_immediates(in, predicate + 1, is_a_described, product));
  if (product.is_sparse) KMUX_TRY(take_selector(in, 4, product));
  Builder& builder = in.builder();
  const unsigned m = product.m;
  KMUX_ASSIGN(const Registers sums, stored_matrix(in, 0, product.d, m * product.n));
  Value* a = llvm::ConstantPointerNull::get(builder.getPtrTy());
  Value* a_descriptor = builder.getInt64(0);
  if (is_a_described) {
    KMUX_ASSIGN(a_descriptor, in.read(1, kB64));
  } else {
    KMUX_ASSIGN(const Registers registers, stored_matrix(in, 1, product.a, m * packed(product).k));
    a = registers.memory;
  }
  KMUX_ASSIGN(Value* const b_descriptor, in.read(2, kB64));
  KMUX_ASSIGN(Value* const is_added, in.read(predicate, kPredicate));
  Value* metadata = nullptr;
  if (product.is_sparse) {
    KMUX_ASSIGN(metadata, in.read(3, kB32));
  }
  call_product(in, "wgmma",
               {constant_of(builder, product), sums.memory, a, a_descriptor, b_descriptor,
                builder.CreateZExt(is_added, builder.getInt32Ty())},
               metadata);
  return load(in, in.operand(0), sums);
}

// wgmma.fence, commit_group and wait_group are notes for checks: the products of a warp are done when they are issued.
// wait_group waits for those of the other warps, too.
Status emit_wgmma(Instruction& in) {
  const std::size_t mode = in.take_any({"fence", "commit_group", "wait_group"});
  if (mode == 3) return emit_product_of_group(in);
  if (!in.take("sync") || !in.take("aligned")) return in.refuse("it lacks \".sync.aligned\"");
  KMUX_TRY(in.check(0, mode == 2 ? 1 : 0));
  Builder& builder = in.builder();
  if (mode < 2) {
    call_note(builder, mode == 0 ? "wgmma_fence" : "wgmma_commit");
    return Ok{};
  }
  KMUX_ASSIGN(const std::int64_t groups, immediate(in, 0));
  if (groups < 0) return in.refuse("its number of groups is negative");
  call_unit(builder, "wgmma_wait", builder.getVoidTy(), {});
  call_note(builder, "wgmma_wait", {builder.getInt32(static_cast<std::uint32_t>(groups))});
  return Ok{};
}

/// A move between shared memory and registers.
struct Move {
  unsigned matrices = 0;
  bool is_transposed = false, is_shared = false;
};

// m8n8.x4.trans.shared.b16, in any order.
Result<Move> move_of(Instruction& in) {
  if (!in.take("sync") || !in.take("aligned")) return in.refuse("it lacks \".sync.aligned\"");
  constexpr unsigned kCounts[] = {1, 2, 4, 0};
  const Move move{kCounts[in.take_any({"x1", "x2", "x4"})], in.take("trans"),
                  in.take_any({"shared", "shared::cta"}) < 2};
  if (in.take_any({"m16n16", "m8n16", "m16n8"}) < 3) return in.refuse("its matrices of 8 bits need sm_100");
  const bool is_small = in.take("m8n8");
  KMUX_TRY(in.check(1, 2));
  if (is_small && move.matrices > 0 && in.type(0) == Type{Type::Kind::kBits, 16}) return move;
  return in.refuse("it must be of .m8n8 matrices of .b16: .x1, .x2 or .x4");
}

void call_move(Builder& builder, std::string_view unit, const Move& move, Value* row, const Registers& registers) {
  call_unit(builder, unit, builder.getVoidTy(),
            {builder.getInt32(move.matrices), builder.getInt32(move.is_transposed ? 1 : 0), row, registers.memory});
}

// ldmatrix.sync.aligned.m8n8.x2.shared.b16 {d0, d1}, [p].
Status emit_ldmatrix(Instruction& in) {
  KMUX_ASSIGN(const Move move, move_of(in));
  KMUX_ASSIGN(Value* const row, address(in.emitter(), in.operand(1), move.is_shared));
  const Registers registers = add_registers(in, kB32, move.matrices);
  call_move(in.builder(), "ldmatrix", move, row, registers);
  return load(in, in.operand(0), registers);
}

// stmatrix.sync.aligned.m8n8.x2.shared.b16 [p], {a0, a1}.
Status emit_stmatrix(Instruction& in) {
  KMUX_ASSIGN(const Move move, move_of(in));
  KMUX_ASSIGN(Value* const row, address(in.emitter(), in.operand(0), move.is_shared));
  const Registers registers = add_registers(in, kB32, move.matrices);
  KMUX_TRY(store(in, in.operand(1), registers));
  call_move(in.builder(), "stmatrix", move, row, registers);
  return Ok{};
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a.
Status emit_movmatrix(Instruction& in) {
  const bool is_whole = in.take("sync") && in.take("aligned") && in.take("m8n8") && in.take("trans");
  KMUX_TRY(in.check(1, 2));
  if (!is_whole || in.type(0) != Type{Type::Kind::kBits, 16})
    return in.refuse("it must be movmatrix.sync.aligned.m8n8.trans.b16");
  const Registers registers = add_registers(in, kB32, 1);
  KMUX_TRY(store(in, in.operand(1), registers));
  call_unit(in.builder(), "movmatrix", in.builder().getVoidTy(), {registers.memory});
  return load(in, in.operand(0), registers);
}

constexpr Family::Effect kMemory = Family::Effect::kMemory;
constexpr Family kFamilies[] = {{"mma", emit_mma, kMemory},
                                {"wgmma", emit_wgmma, kMemory},
                                {"ldmatrix", emit_ldmatrix, kMemory},
                                {"stmatrix", emit_stmatrix, kMemory},
                                {"movmatrix", emit_movmatrix, kMemory}};

}  // namespace
}  // namespace matrices

std::span<const Family> matrix_families() { return matrices::kFamilies; }

}  // namespace kmux::simt::ptx
