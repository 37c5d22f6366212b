// Barriers that count: mbarrier, barrier.cluster, and the named ones of a block.
#include <array>

#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"
#include "simt/ptx/units.h"

namespace kmux::simt::ptx {
namespace barriers {
namespace {

// Takes the order and scope of an operation: the runtime executes one at a time.
void take_order(Instruction& in) {
  in.take_any({"relaxed", "release", "acquire"});
  in.take_any({"cta", "cluster"});
}

// mbarrier.init.shared.b64 [a], count; .inval [a]; .expect_tx [a], bytes; .complete_tx [a], bytes.
Status emit_change(Instruction& in, std::string_view unit, bool has_number) {
  take_order(in);
  const bool is_shared = take_shared(in);
  KMUX_TRY(in.check(1, has_number ? 2 : 1));
  KMUX_ASSIGN(Value* const barrier, address(in.emitter(), in.operand(0), is_shared));
  llvm::SmallVector<Value*> arguments{barrier};
  if (has_number) {
    KMUX_ASSIGN(Value* const number, in.read(1, kB32));
    arguments.push_back(number);
  }
  call_unit(in.builder(), unit, in.builder().getVoidTy(), arguments);
  return Ok{};
}

// mbarrier.arrive.shared.b64 state, [a], count; with .expect_tx the number is that of bytes.
Status emit_arrive(Instruction& in, bool drops) {
  const bool expects = in.take("expect_tx");
  in.take("noComplete");  // a promise that it does not end the phase
  take_order(in);
  const bool is_shared = take_shared(in);
  const bool has_number = in.operands() == 3;
  KMUX_TRY(in.check(1, has_number ? 3 : 2));
  if (expects && !has_number) return in.refuse("the number of bytes is missing");
  KMUX_ASSIGN(Value* const barrier, address(in.emitter(), in.operand(1), is_shared));
  Builder& builder = in.builder();
  Value* number = builder.getInt32(1);
  if (has_number) {
    KMUX_ASSIGN(number, in.read(2, kB32));
  }
  if (expects) call_unit(builder, "mbarrier.expect", builder.getVoidTy(), {barrier, number});
  Value* const count = expects ? builder.getInt32(1) : number;
  const char* const unit = drops ? "mbarrier.arrive_drop" : "mbarrier.arrive";
  return in.write(call_unit(builder, unit, builder.getInt64Ty(), {barrier, count}));
}

// mbarrier.try_wait.parity.shared.b64 p, [a], parity, nanoseconds. Without .parity the third operand is a state.
Status emit_wait(Instruction& in, bool tries) {
  const bool has_parity = in.take("parity");
  take_order(in);
  const bool is_shared = take_shared(in);
  const bool has_limit = tries && in.operands() == 4;  // of time, which means nothing here
  KMUX_TRY(in.check(1, has_limit ? 4 : 3));
  KMUX_ASSIGN(Value* const barrier, address(in.emitter(), in.operand(1), is_shared));
  KMUX_ASSIGN(Value* const given, in.read(2, has_parity ? kB32 : kB64));
  Builder& builder = in.builder();
  Value* const token = has_parity ? builder.CreateZExt(given, builder.getInt64Ty()) : given;
  Value* const is_over =
      call_unit(builder, "mbarrier.wait", builder.getInt32Ty(), {barrier, token, builder.getInt32(tries ? 1 : 0)});
  return in.write(builder.CreateICmpNE(is_over, builder.getInt32(0)));
}

Status emit_pending(Instruction& in) {
  KMUX_TRY(in.check(1, 2));
  KMUX_ASSIGN(Value* const token, in.read(1, kB64));
  return in.write(call_unit(in.builder(), "mbarrier.pending", in.builder().getInt32Ty(), {token}));
}

Status emit_mbarrier(Instruction& in) {
  switch (in.take_any({"init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait", "pending_count"})) {
    case 0:
      return emit_change(in, "mbarrier.init", true);
    case 1:
      return emit_change(in, "mbarrier.inval", false);
    case 2:
      return emit_arrive(in, false);
    case 3:
      return emit_arrive(in, true);
    case 4:
      return emit_wait(in, false);
    case 5:
      return emit_wait(in, true);
    case 6:
      return emit_pending(in);
    default:
      break;
  }
  if (in.take("expect_tx")) return emit_change(in, "mbarrier.expect", true);
  if (in.take("complete_tx")) return emit_change(in, "mbarrier.complete", true);
  return in.refuse("its operation is unknown");
}

// barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned.
Status emit_cluster(Instruction& in) {
  const std::size_t operation = in.take_any({"arrive", "wait"});
  in.take_any({"release", "relaxed", "acquire"});
  in.take("aligned");
  KMUX_TRY(in.check(0, 0));
  if (operation == 2) return in.refuse("its operation is unknown");
  call_unit(in.builder(), operation == 0 ? "cluster.arrive" : "cluster.wait", in.builder().getVoidTy(), {});
  return Ok{};
}

// Returns the operands `number, threads` from operand `first` on, behind which `behind` more follow.
Result<std::array<Value*, 2>> number_and_threads(Instruction& in, std::size_t first, std::size_t behind) {
  const bool has_threads = in.operands() == first + behind + 2;
  if (!has_threads && in.operands() != first + behind + 1) return in.refuse("it has another number of operands");
  KMUX_ASSIGN(Value* const number, in.read(first, kB32));
  Value* threads = in.builder().getInt32(0);
  if (has_threads) {
    KMUX_ASSIGN(threads, in.read(first + 1, kB32));
  }
  return std::array<Value*, 2>{number, threads};
}

// bar.red.popc.u32 d, number, threads, p; bar.red.and.pred q, number, p.
Status emit_reduction(Instruction& in) {
  const std::size_t operation = in.take_any({"popc", "and", "or"});
  in.take("aligned");
  KMUX_TRY(in.check_parts());
  if (operation == 3 || in.types() != 1 || (in.type(0) == kPredicate) != (operation != 0))
    return in.refuse("it must be popc.u32, and.pred or or.pred");
  KMUX_ASSIGN(const auto at, number_and_threads(in, 1, 1));
  KMUX_ASSIGN(Value* const predicate, in.read(in.operands() - 1, kPredicate));
  Builder& builder = in.builder();
  llvm::Type* const i32 = builder.getInt32Ty();
  Value* const result =
      call_unit(builder, "barrier.reduce", i32,
                {at[0], at[1], builder.CreateZExt(predicate, i32), builder.getInt32(operation == 1 ? 1 : 0)});
  return in.write(operation == 0 ? result : builder.CreateICmpNE(result, builder.getInt32(0)));
}

bool is_zero(const Value* value) {
  const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant != nullptr && constant->isZero();
}

// bar.sync number, threads. Barrier 0 of all threads is __syncthreads().
Status emit_sync(Instruction& in, bool waits) {
  in.take("aligned");
  KMUX_TRY(in.check_parts());
  if (in.types() != 0) return in.refuse("this type is not supported");
  KMUX_ASSIGN(const auto at, number_and_threads(in, 0, 0));
  Builder& builder = in.builder();
  if (!waits && in.operands() != 2) return in.refuse("the number of threads is missing");
  if (waits && in.operands() == 1 && is_zero(at[0])) {
    emit_block_barrier(builder);
  } else {
    call_unit(builder, waits ? "barrier.sync" : "barrier.arrive", builder.getVoidTy(), at);
  }
  return Ok{};
}

// bar and barrier.cta are the same.
Status emit_barrier(Instruction& in) {
  if (in.take("warp")) return emit_warp_barrier(in);
  if (in.take("cluster")) return emit_cluster(in);
  in.take("cta");
  switch (in.take_any({"sync", "arrive", "red"})) {
    case 0:
      return emit_sync(in, true);
    case 1:
      return emit_sync(in, false);
    case 2:
      return emit_reduction(in);
    default:
      return in.refuse("its operation is unknown");
  }
}

constexpr Family::Effect kMemory = Family::Effect::kMemory;
constexpr Family kFamilies[] = {
    {"mbarrier", emit_mbarrier, kMemory}, {"bar", emit_barrier, kMemory}, {"barrier", emit_barrier, kMemory}};

}  // namespace
}  // namespace barriers

std::span<const Family> barrier_families() { return barriers::kFamilies; }

}  // namespace kmux::simt::ptx
