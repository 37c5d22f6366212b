// Exchanges between the lanes of a warp: shfl, vote, match, redux, elect, activemask, and barriers of a warp or block.
#include <functional>

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "simt/analysis/thread_calls.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"

namespace kmux::simt::ptx {
namespace warps {
namespace {

constexpr unsigned kLanes = 32;

// Calls `name`, which may not be moved between lanes, as the headers of device/ declare it.
Value* warp_call(Builder& builder, std::string_view name, llvm::Type* result, llvm::ArrayRef<Value*> arguments,
                 bool is_pure = false) {
  llvm::SmallVector<llvm::Type*> types;
  for (const Value* const argument : arguments) types.push_back(argument->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee function = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  if (auto* const declared = llvm::dyn_cast<llvm::Function>(function.getCallee())) {
    declared->setConvergent();
    declared->setDoesNotThrow();
    if (is_pure) {
      declared->setDoesNotAccessMemory();
      declared->setWillReturn();
    }
  }
  llvm::CallInst* const call = builder.CreateCall(function, arguments);
  call->setConvergent();
  return call;
}

Value* lane(Builder& builder) { return make_call(builder, call::kLane, builder.getInt32Ty()); }
Value* shuffled(Builder& builder, Value* value, Value* from) {
  return warp_call(builder, call::kShuffle, builder.getInt32Ty(), {value, from}, true);
}
Value* ballot(Builder& builder, Value* condition) {
  return warp_call(builder, call::kBallot, builder.getInt32Ty(), {builder.CreateZExt(condition, builder.getInt32Ty())});
}
void set_participants(Builder& builder, Value* mask) {
  warp_call(builder, call::kParticipants, builder.getVoidTy(), {mask});
}

// Emits `body` for the lanes of `mask`. Fibers wait for them.
Value* among(Builder& builder, Value* mask, const std::function<Value*()>& body) {
  set_participants(builder, mask);
  Value* const result = body();
  set_participants(builder, builder.getInt32(0));
  return result;
}

/// The lane that a shuffle reads, and whether it is within the segment.
struct Source {
  Value* lane = nullptr;
  Value* is_inside = nullptr;
};

// As the PTX ISA computes them: `places` is operand b, `control` operand c.
Source source_of(Builder& builder, std::size_t mode, Value* self, Value* places, Value* control) {
  Value* const by = builder.CreateAnd(places, builder.getInt32(31));
  Value* const bound = builder.CreateAnd(control, builder.getInt32(31));
  Value* const segment = builder.CreateAnd(builder.CreateLShr(control, 8), builder.getInt32(31));
  Value* const least = builder.CreateAnd(self, segment);
  Value* const most = builder.CreateOr(least, builder.CreateAnd(bound, builder.CreateNot(segment)));
  Value* from = nullptr;
  if (mode == 0) from = builder.CreateSub(self, by);
  if (mode == 1) from = builder.CreateAdd(self, by);
  if (mode == 2) from = builder.CreateXor(self, by);
  if (mode == 3) from = builder.CreateOr(least, builder.CreateAnd(by, builder.CreateNot(segment)));
  Value* const is_inside = mode == 0 ? builder.CreateICmpSGE(from, most) : builder.CreateICmpSLE(from, most);
  return {builder.CreateSelect(is_inside, from, self), is_inside};
}

// shfl.sync.up.b32 d|p, a, b, c, mask.
Status emit_shfl(Instruction& in) {
  if (!in.take("sync")) return in.refuse("it lacks \".sync\"");
  const std::size_t mode = in.take_any({"up", "down", "bfly", "idx"});
  KMUX_TRY(in.check(1, 5));
  if (mode == 4 || in.type(0) != kB32) return in.refuse("it must be up, down, bfly or idx, and b32");
  KMUX_ASSIGN(const auto v, in.sources(4, kB32));
  Builder& builder = in.builder();
  const Source source = source_of(builder, mode, lane(builder), v[1], v[2]);
  Value* const value = among(builder, v[3], [&] { return shuffled(builder, v[0], source.lane); });
  if (in.operand(0).kind != Operand::Kind::kPair) return in.write(value);
  KMUX_TRY(in.emitter().write(in.operand(0).parts[0], value));
  return in.emitter().write(in.operand(0).parts[1], source.is_inside);
}

// vote.sync.ballot.b32 d, p, mask; vote.sync.all.pred q, p, mask.
Status emit_vote(Instruction& in) {
  if (!in.take("sync")) return in.refuse("it lacks \".sync\"");
  const std::size_t mode = in.take_any({"all", "any", "uni", "ballot"});
  KMUX_TRY(in.check(1, 3));
  if (mode == 4 || in.type(0) != (mode == 3 ? kB32 : kPredicate))
    return in.refuse("it must be all.pred, any.pred, uni.pred or ballot.b32");
  KMUX_ASSIGN(Value* const condition, in.read(1, kPredicate));
  KMUX_ASSIGN(Value* const mask, in.read(2, kB32));
  Builder& builder = in.builder();
  Value* const have = builder.CreateAnd(among(builder, mask, [&] { return ballot(builder, condition); }), mask);
  if (mode == 3) return in.write(have);
  Value* const none = builder.CreateICmpEQ(have, builder.getInt32(0));
  if (mode == 1) return in.write(builder.CreateNot(none));
  Value* const active = among(builder, mask, [&] { return ballot(builder, builder.getTrue()); });
  Value* const all = builder.CreateICmpEQ(have, builder.CreateAnd(active, mask));
  return in.write(mode == 0 ? all : builder.CreateOr(none, all));
}

// Returns the lanes of `mask` that are active.
Value* active_of(Builder& builder, Value* mask) { return builder.CreateAnd(ballot(builder, builder.getTrue()), mask); }

/// A step of a loop over lanes: the value so far, and the lanes that are left.
struct Step {
  Value* value = nullptr;
  Value* left = nullptr;
};
using NextStep = std::function<Step(Value* lane, const Step& step)>;

// Emits a loop that computes `next` of the first lane that is left until none is.
Value* over_lanes(Builder& builder, const Step& begin, const NextStep& next) {
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock *const header = add_block(builder), *const body = add_block(builder),
                          *const after = add_block(builder);
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  llvm::PHINode* const value = builder.CreatePHI(begin.value->getType(), 2);
  llvm::PHINode* const left = builder.CreatePHI(begin.left->getType(), 2);
  builder.CreateCondBr(builder.CreateICmpNE(left, builder.getInt32(0)), body, after);
  builder.SetInsertPoint(body);
  Value* const first = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getFalse());
  const Step step = next(first, {value, left});
  value->addIncoming(begin.value, before);
  value->addIncoming(step.value, builder.GetInsertBlock());
  left->addIncoming(begin.left, before);
  left->addIncoming(step.left, builder.GetInsertBlock());
  builder.CreateBr(header);
  builder.SetInsertPoint(after);
  return value;
}

Value* without_lowest(Builder& builder, Value* bits) {
  return builder.CreateAnd(bits, builder.CreateSub(bits, builder.getInt32(1)));
}

// Returns operand 1 as words of 32 bits, the lowest first.
Result<std::vector<Value*>> words_of(Instruction& in) {
  KMUX_ASSIGN(Value* const a, in.read(1, in.type(0)));
  Builder& builder = in.builder();
  std::vector<Value*> words;
  for (unsigned place = 0; place < in.type(0).bits; place += 32) words.push_back(part_of(builder, a, place, 32));
  return words;
}

// Returns true if `words` are the same as those of lane `from`.
Value* is_same(Builder& builder, const std::vector<Value*>& words, Value* from) {
  Value* same = builder.getTrue();
  for (Value* const word : words)
    same = builder.CreateAnd(same, builder.CreateICmpEQ(word, shuffled(builder, word, from)));
  return same;
}

// Takes a turn for each value that lanes have.
Value* matching_any(Builder& builder, const std::vector<Value*>& words, Value* mask) {
  return over_lanes(builder, {builder.getInt32(0), active_of(builder, mask)}, [&](Value* from, const Step& step) {
    Value* const same = is_same(builder, words, from);
    Value* const lanes = ballot(builder, same);
    Value* const left = builder.CreateAnd(step.left, builder.CreateNot(lanes));
    return Step{builder.CreateSelect(same, builder.CreateAnd(lanes, mask), step.value), left};
  });
}

// match.any.sync.b32 d, a, mask; match.all.sync.b32 d|p, a, mask.
Status emit_match(Instruction& in) {
  const bool is_sync = in.take("sync");
  const std::size_t mode = in.take_any({"any", "all"});
  KMUX_TRY(in.check(1, 3));
  if (!is_sync || mode == 2 || (in.type(0) != kB32 && in.type(0) != kB64))
    return in.refuse("it must be any.sync or all.sync, and b32 or b64");
  KMUX_ASSIGN(const auto words, words_of(in));
  KMUX_ASSIGN(Value* const mask, in.read(2, kB32));
  Builder& builder = in.builder();
  if (mode == 0) return in.write(among(builder, mask, [&] { return matching_any(builder, words, mask); }));
  Value* all = nullptr;
  Value* const lanes = among(builder, mask, [&] {
    Value* const active = active_of(builder, mask);
    Value* const first = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active, builder.getFalse());
    Value* const differ = ballot(builder, builder.CreateNot(is_same(builder, words, first)));
    all = builder.CreateICmpEQ(builder.CreateAnd(differ, mask), builder.getInt32(0));
    return builder.CreateSelect(all, active, builder.getInt32(0));
  });
  if (in.operand(0).kind != Operand::Kind::kPair) return in.write(lanes);
  KMUX_TRY(in.emitter().write(in.operand(0).parts[0], lanes));
  return in.emitter().write(in.operand(0).parts[1], all);
}

Value* joined(Builder& builder, std::size_t mode, Type type, Value* a, Value* b) {
  const llvm::Intrinsic::ID least = type.is_signed() ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
  const llvm::Intrinsic::ID most = type.is_signed() ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
  switch (mode) {
    case 0:
      return builder.CreateAdd(a, b);
    case 1:
      return builder.CreateBinaryIntrinsic(least, a, b);
    case 2:
      return builder.CreateBinaryIntrinsic(most, a, b);
    case 3:
      return builder.CreateAnd(a, b);
    case 4:
      return builder.CreateOr(a, b);
    default:
      return builder.CreateXor(a, b);
  }
}

// Returns the values of `lanes`, not none, joined one by one.
Value* reduced(Builder& builder, std::size_t mode, Type type, Value* value, Value* lanes) {
  Value* const first = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lanes, builder.getFalse());
  const Step begin{shuffled(builder, value, first), without_lowest(builder, lanes)};
  return over_lanes(builder, begin, [&](Value* from, const Step& step) {
    Value* const next = joined(builder, mode, type, step.value, shuffled(builder, value, from));
    return Step{next, without_lowest(builder, step.left)};
  });
}

// Returns the values of all lanes of a warp joined, in five steps.
Value* reduced_whole(Builder& builder, std::size_t mode, Type type, Value* value) {
  for (unsigned step = kLanes / 2; step > 0; step /= 2) {
    Value* const other = shuffled(builder, value, builder.CreateXor(lane(builder), builder.getInt32(step)));
    value = joined(builder, mode, type, value, other);
  }
  return value;
}

// Emits both forms for the mask of all lanes: some may have ended, or never been.
Value* reduced_either(Builder& builder, std::size_t mode, Type type, Value* value) {
  llvm::BasicBlock *const whole = add_block(builder), *const some = add_block(builder),
                          *const after = add_block(builder);
  Value* const active = ballot(builder, builder.getTrue());
  builder.CreateCondBr(builder.CreateICmpEQ(active, builder.getInt32(~0U)), whole, some);
  builder.SetInsertPoint(whole);
  Value* const of_whole = reduced_whole(builder, mode, type, value);
  builder.CreateBr(after);
  builder.SetInsertPoint(some);
  Value* const of_some = reduced(builder, mode, type, value, active);
  llvm::BasicBlock* const end_of_some = builder.GetInsertBlock();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  llvm::PHINode* const either = builder.CreatePHI(value->getType(), 2);
  either->addIncoming(of_whole, whole);
  either->addIncoming(of_some, end_of_some);
  return either;
}

// redux.sync.add.s32 d, a, mask: of the values of all lanes of the mask.
Status emit_redux(Instruction& in) {
  const bool is_sync = in.take("sync");
  const std::size_t mode = in.take_any({"add", "min", "max", "and", "or", "xor"});
  KMUX_TRY(in.check(1, 3));
  const Type type = in.type(0);
  const bool is_number = type.is_integer() && type.kind != Type::Kind::kBits;
  if (!is_sync || mode == 6 || type.whole() != 32 || is_number != (mode < 3))
    return in.refuse("this type is not supported");
  KMUX_ASSIGN(const auto v, in.sources(2, kB32));
  Builder& builder = in.builder();
  const auto* const mask = llvm::dyn_cast<llvm::ConstantInt>(v[1]);
  return in.write(among(builder, v[1], [&] {
    if (mask != nullptr && mask->isMinusOne()) return reduced_either(builder, mode, type, v[0]);
    return reduced(builder, mode, type, v[0], active_of(builder, v[1]));
  }));
}

// elect.sync d|p, mask: the first lane of the mask, and true for that one.
Status emit_elect(Instruction& in) {
  if (!in.take("sync")) return in.refuse("it lacks \".sync\"");
  KMUX_TRY(in.check(0, 2));
  KMUX_ASSIGN(Value* const mask, in.read(1, kB32));
  Builder& builder = in.builder();
  Value* const first = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask, builder.getFalse());
  if (in.operand(0).kind != Operand::Kind::kPair) return in.refuse("it has no predicate as a result");
  KMUX_TRY(in.emitter().write(in.operand(0).parts[0], first));
  return in.emitter().write(in.operand(0).parts[1], builder.CreateICmpEQ(lane(builder), first));
}

Status emit_activemask(Instruction& in) {
  KMUX_TRY(in.check(1, 1));
  return in.write(ballot(in.builder(), in.builder().getTrue()));
}

constexpr Family::Effect kMemory = Family::Effect::kMemory;
constexpr Family kFamilies[] = {{"shfl", emit_shfl, kMemory},   {"vote", emit_vote, kMemory},
                                {"match", emit_match, kMemory}, {"redux", emit_redux, kMemory},
                                {"elect", emit_elect},          {"activemask", emit_activemask, kMemory}};

}  // namespace
}  // namespace warps

Status emit_warp_barrier(Instruction& in) {
  using namespace warps;
  if (!in.take("sync")) return in.refuse("it lacks \".sync\"");
  KMUX_TRY(in.check(0, 1));
  KMUX_ASSIGN(Value* const mask, in.read(0, kB32));
  Builder& builder = in.builder();
  among(builder, mask, [&] { return warp_call(builder, call::kSyncWarp, builder.getVoidTy(), {}); });
  builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  return Ok{};
}

void emit_block_barrier(Builder& builder) { warps::warp_call(builder, call::kBarrier, builder.getVoidTy(), {}); }

std::span<const Family> warp_families() { return warps::kFamilies; }

}  // namespace kmux::simt::ptx
