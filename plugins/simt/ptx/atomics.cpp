// Atomic operations on memory: atom, red.
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace atomics {
namespace {

using Operation = llvm::AtomicRMWInst::BinOp;
using llvm::AtomicOrdering;

/// An atomic operation on one element or more.
struct Update {
  std::string_view name;  // "add", "cas"
  Type type;
  AtomicOrdering order = AtomicOrdering::Monotonic;
  std::size_t count = 1;
  bool is_shared = false;
};

// Relaxed operations order memory on AArch64 as they do on x86: GPU code relies on it (device/atomics.h).
AtomicOrdering order_of(Instruction& in) {
  constexpr AtomicOrdering kOrders[] = {AtomicOrdering::Acquire, AtomicOrdering::Release,
                                        AtomicOrdering::AcquireRelease};
  const std::size_t order = in.take_any({"acquire", "release", "acq_rel"});
  if (order < 3) return kOrders[order];
  in.take("relaxed");
  const llvm::Module& module = *in.builder().GetInsertBlock()->getModule();
  return llvm::Triple(module.getTargetTriple()).isAArch64() ? AtomicOrdering::AcquireRelease
                                                            : AtomicOrdering::Monotonic;
}

Result<Update> update_of(Instruction& in, bool has_result) {
  constexpr std::string_view kNames[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
  if (in.types() != 1) return in.refuse("its type is missing");
  Update update{.name = {}, .type = in.type(0), .order = order_of(in)};
  in.take_any({"cta", "cluster", "gpu", "sys"});
  update.is_shared = take_shared(in);
  in.take("global");
  const std::size_t policy = in.take("L2::cache_hint") ? 1 : 0;
  const bool keeps_subnormal = in.take("noftz");
  constexpr std::size_t kCounts[] = {2, 4, 8, 1};
  update.count = kCounts[in.take_any({"v2", "v4", "v8"})];
  for (const std::string_view name : kNames) {
    if (!update.name.empty() || !in.take(name)) continue;
    update.name = name;
  }
  if (update.name.empty()) return in.refuse("its operation is missing");
  if (keeps_subnormal != update.type.is_half()) return in.refuse("\".noftz\" and f16 or bf16 need each other");
  const bool is_swap = update.name == "cas" || update.name == "exch";
  if (!has_result && is_swap) return in.refuse("only atom has it");
  KMUX_TRY(in.check(1, (has_result ? 1U : 0U) + (update.name == "cas" ? 3 : 2) + policy));
  return update;
}

/// An operation of integers of 32 or 64 bits.
struct NamedOperation {
  enum class Types : std::uint8_t { kAll, kNumbers, kU32 };
  std::string_view name;
  Operation of_signed, of_unsigned;
  Types types = Types::kAll;

  bool has(Type type) const {
    if (types == Types::kU32) return type == Type{Type::Kind::kUnsigned, 32};
    return types == Types::kAll || type.kind != Type::Kind::kBits;
  }
};

constexpr NamedOperation kOperations[] = {
    {"add", Operation::Add, Operation::Add, NamedOperation::Types::kNumbers},
    {"min", Operation::Min, Operation::UMin, NamedOperation::Types::kNumbers},
    {"max", Operation::Max, Operation::UMax, NamedOperation::Types::kNumbers},
    {"and", Operation::And, Operation::And},
    {"or", Operation::Or, Operation::Or},
    {"xor", Operation::Xor, Operation::Xor},
    {"exch", Operation::Xchg, Operation::Xchg},
    {"inc", Operation::UIncWrap, Operation::UIncWrap, NamedOperation::Types::kU32},
    {"dec", Operation::UDecWrap, Operation::UDecWrap, NamedOperation::Types::kU32}};

// Returns LLVM's operation; empty if it has none.
std::optional<Operation> operation_of(const Update& update) {
  const Type type = update.type;
  if (type.count != 1 || type.is_half()) return std::nullopt;
  if (type.is_native_float()) return update.name == "add" ? std::optional(Operation::FAdd) : std::nullopt;
  const auto* const found = std::ranges::find(kOperations, update.name, &NamedOperation::name);
  if (type.bits < 32 || found == std::end(kOperations) || !found->has(type)) return std::nullopt;
  return type.is_signed() ? found->of_signed : found->of_unsigned;
}

// Returns the sum of halves of `type`, packed or not.
Value* sum_of_halves(Builder& builder, Type type, Value* a, Value* b) {
  const auto sum_at = [&](unsigned place) {
    const auto one = [&](Value* all) { return float_of_half(builder, part_of(builder, all, place, 16), type); };
    return half_of_float(builder, builder.CreateFAdd(one(a), one(b)), type);
  };
  Value* const low = sum_at(0);
  return type.count == 1 ? low : concatenated(builder, low, sum_at(16));
}

// Adds `value` in a loop until no other thread has changed the place in between. Returns the value before.
Value* add_in_loop(Builder& builder, const Update& update, Value* place, Value* value) {
  llvm::Type* const type = value->getType();
  const llvm::Align align(update.type.whole() / 8);
  llvm::LoadInst* const first = builder.CreateAlignedLoad(type, place, align);
  first->setOrdering(AtomicOrdering::Monotonic);
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock *const loop = add_block(builder), *const after = add_block(builder);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* const old = builder.CreatePHI(type, 2);
  Value* const next = sum_of_halves(builder, update.type, old, value);
  Value* const swap = builder.CreateAtomicCmpXchg(place, old, next, align, update.order,
                                                  llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(update.order));
  old->addIncoming(first, before);
  old->addIncoming(builder.CreateExtractValue(swap, 0), loop);
  builder.CreateCondBr(builder.CreateExtractValue(swap, 1), after, loop);
  builder.SetInsertPoint(after);
  return old;
}

Result<Value*> updated(Builder& builder, const Update& update, Value* place, Value* value) {
  if (update.type.is_half() && update.name == "add") return add_in_loop(builder, update, place, value);
  const std::optional<Operation> operation = operation_of(update);
  if (!operation) return Instruction::refuse("\"." + std::string(update.name) + "\" does not support this type");
  return builder.CreateAtomicRMW(*operation, place, value, llvm::Align(update.type.whole() / 8), update.order);
}

Status emit_swap(Instruction& in, const Update& update, Value* place) {
  if (update.type.kind == Type::Kind::kFloat || update.type.count != 1 || update.type.bits < 16 || update.count != 1)
    return in.refuse("\".cas\" does not support this type");
  KMUX_ASSIGN(Value* const expected, in.read(2, update.type));
  KMUX_ASSIGN(Value* const value, in.read(3, update.type));
  Value* const swap =
      in.builder().CreateAtomicCmpXchg(place, expected, value, llvm::Align(update.type.bits / 8), update.order,
                                       llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(update.order));
  return in.write(in.builder().CreateExtractValue(swap, 0));
}

// `first`: the index of the address, which follows the result if there is one.
Status emit_update(Instruction& in, std::size_t first) {
  KMUX_ASSIGN(const Update update, update_of(in, first == 1));
  KMUX_ASSIGN(Value* const base, address(in.emitter(), in.operand(first), update.is_shared));
  if (update.name == "cas") return emit_swap(in, update, base);
  const std::span<const Operand> sources = elements_of(in.operand(first + 1));
  const Operand& result = in.operand(0);
  const bool is_discarded = result.kind == Operand::Kind::kDiscarded;
  const std::span<const Operand> targets = elements_of(result);
  if (sources.size() != update.count || (first == 1 && !is_discarded && targets.size() != update.count))
    return in.refuse("its operand has another number of elements than its type");
  std::vector<Value*> before;
  for (std::size_t i = 0; i < update.count; ++i) {
    KMUX_ASSIGN(Value* const value, in.emitter().read(sources[i], update.type));
    Value* const place = i == 0 ? base
                                : in.builder().CreateGEP(in.builder().getInt8Ty(), base,
                                                         in.builder().getInt64(i * update.type.whole() / 8));
    KMUX_ASSIGN(Value* const old, updated(in.builder(), update, place, value));
    before.push_back(old);
  }
  if (first == 0 || is_discarded) return Ok{};
  for (std::size_t i = 0; i < update.count; ++i) KMUX_TRY(in.emitter().write(targets[i], before[i]));
  return Ok{};
}

Status emit_atom(Instruction& in) { return emit_update(in, 1); }
Status emit_red(Instruction& in) { return emit_update(in, 0); }

constexpr Family kFamilies[] = {{"atom", emit_atom, Family::Effect::kMemory},
                                {"red", emit_red, Family::Effect::kMemory}};

}  // namespace
}  // namespace atomics

std::span<const Family> atomic_families() { return atomics::kFamilies; }

}  // namespace kmux::simt::ptx
