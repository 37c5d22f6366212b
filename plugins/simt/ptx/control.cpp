// Control and order: bra, trap, fences, and instructions without effect on a processor.
#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "simt/analysis/thread_calls.h"
#include "simt/ptx/families.h"
#include "simt/ptx/units.h"

namespace kmux::simt::ptx {
namespace control {
namespace {

Status emit_bra(Instruction& in) {
  in.take("uni");
  KMUX_TRY(in.check(0, 1));
  if (in.operand(0).kind != Operand::Kind::kLabel) return in.refuse("its operand is not a label");
  const Statement& statement = in.statement();
  return in.emitter().jump(in.operand(0).index, statement.guard.empty() ? nullptr : &statement.guard.front());
}

// Ends the launch, as __trap() does (device/failures.h).
Status emit_trap(Instruction& in) {
  KMUX_TRY(in.check(0, 0));
  llvm::IRBuilder<>& builder = in.builder();
  llvm::Type* const i32 = builder.getInt32Ty();
  llvm::SmallVector<llvm::Type*> types{builder.getPtrTy(), builder.getPtrTy()};
  llvm::SmallVector<Value*> values{builder.CreateGlobalString("trap"), builder.CreateGlobalString("")};
  types.append(7, i32);
  values.push_back(builder.getInt32(0));  // the line
  for (const std::string_view* const calls : {call::kBlock, call::kThread}) {
    for (unsigned axis = 0; axis < 3; ++axis) values.push_back(make_call(builder, calls[axis], i32));
  }
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  builder.CreateCall(
      module.getOrInsertFunction("kmux_cpu_fail", llvm::FunctionType::get(builder.getVoidTy(), types, false)), values);
  return Ok{};
}

void emit_fence(Instruction& in) { in.builder().CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); }

// membar.gl: memory of a processor is the same for all threads, so one fence is of each scope.
Status emit_membar(Instruction& in) {
  if (in.take_any({"cta", "gl", "sys"}) == 3) return in.refuse("its scope is missing");
  KMUX_TRY(in.check(0, 0));
  emit_fence(in);
  return Ok{};
}

// fence.acq_rel.gpu. Threads and asynchronous copies use one memory here, so only checks look at "fence.proxy".
Status emit_fence_family(Instruction& in) {
  constexpr std::string_view kProxies[] = {"alias",  "async", "async::generic", "async.global", "tensormap::generic",
                                           "generic"};
  const bool is_proxy = in.take("proxy"), is_of_barriers = in.take("mbarrier_init");
  bool is_of_units = false;
  if (is_proxy) {
    for (const std::string_view one : kProxies) is_of_units = (in.take(one) && one.starts_with("async")) || is_of_units;
    in.take_any({"global", "shared::cta", "shared::cluster"});
    in.take("to_proxy::async");
    in.take("from_proxy::async");
  }
  in.take_any({"sc", "acq_rel", "acquire", "release"});
  in.take("sync_restrict::shared::cta");
  in.take("sync_restrict::shared::cluster");
  in.take_any({"cta", "cluster", "gpu", "sys"});
  KMUX_TRY(in.check_parts());
  if (in.types() != 0) return in.refuse("this type is not supported");
  if (!is_proxy && !is_of_barriers) emit_fence(in);
  if (is_of_units) call_note(in.builder(), "fence_proxy");
  return Ok{};
}

/// Instructions that change neither values nor their order, the parts that they may have, and the reason.
struct Nothing {
  std::string_view name;
  std::size_t types;
  std::string_view parts;  // between spaces
  std::string_view reason;
};

constexpr Nothing kNothing[] = {
    {"nanosleep", 1, "", "threads of a processor do not share a scheduler"},
    {"prefetch", 0, " global local const param generic L1 L2 L2::evict_last L2::evict_normal tensormap ",
     "caches need no advice"},
    {"prefetchu", 0, " L1 ", "caches need no advice"},
    {"discard", 0, " global L2 ", "values are lost at the will of the program"},
    {"applypriority", 0, " global L2::evict_normal ", "caches need no advice"},
    {"griddepcontrol", 0, " launch_dependents wait ", "launches run one after another"},
    {"pmevent", 0, " mask ", "there are no performance counters"},
};

Status emit_nothing(Instruction& in) {
  const std::string_view name = in.statement().parts.front();
  const auto* const found = std::ranges::find(kNothing, name, &Nothing::name);
  if (in.types() != found->types) return in.refuse("this type is not supported");
  for (std::string_view part = in.take_next(); !part.empty(); part = in.take_next()) {
    const std::string word = " " + std::string(part) + " ";
    if (found->parts.find(word) == std::string_view::npos)
      return in.refuse("\"." + std::string(part) + "\" is unknown");
  }
  return Ok{};
}

// setmaxnreg.inc.sync.aligned.u32 240. A note for checks: registers are LLVM's.
Status emit_setmaxnreg(Instruction& in) {
  constexpr std::uint64_t kMin = 24, kMax = 256, kStep = 8;
  const bool has_parts = in.take_any({"inc", "dec"}) < 2 && in.take("sync") && in.take("aligned");
  KMUX_TRY(in.check(1, 1));
  if (!has_parts || in.type(0) != Type{Type::Kind::kUnsigned, 32})
    return in.refuse("it must be setmaxnreg.inc or .dec .sync.aligned.u32");
  KMUX_ASSIGN(Value* const value, in.read(0, kB32));
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(value);
  const std::uint64_t registers = number == nullptr ? 0 : number->getZExtValue();
  if (registers < kMin || registers > kMax || registers % kStep != 0)
    return in.refuse("its registers must be a multiple of 8 from 24 to 256");
  call_note(in.builder(), "registers", {in.builder().getInt32(static_cast<std::uint32_t>(registers))});
  return Ok{};
}

// Policies of caches are numbers without a meaning.
Status emit_createpolicy(Instruction& in) {
  constexpr std::string_view kParts[] = {
      "fractional",         "range", "cvt", "L2", "global", "L2::evict_last", "L2::evict_normal", "L2::evict_first",
      "L2::evict_unchanged"};
  for (const std::string_view one : kParts) {
    while (in.take(one)) continue;
  }
  KMUX_TRY(in.check_parts());
  if (in.types() != 1 || in.type(0) != kB64 || in.operands() == 0) return in.refuse("its result is a b64");
  return in.write(in.builder().getInt64(0));
}

constexpr Family::Effect kMemory = Family::Effect::kMemory;
constexpr Family kFamilies[] = {{"bra", emit_bra, kMemory},
                                {"trap", emit_trap, kMemory},
                                {"brkpt", emit_trap, kMemory},  // without a debugger
                                {"membar", emit_membar, kMemory},
                                {"fence", emit_fence_family, kMemory},
                                {"createpolicy", emit_createpolicy},
                                {"nanosleep", emit_nothing},
                                {"prefetch", emit_nothing},
                                {"prefetchu", emit_nothing},
                                {"discard", emit_nothing},
                                {"applypriority", emit_nothing},
                                {"setmaxnreg", emit_setmaxnreg, kMemory},
                                {"griddepcontrol", emit_nothing},
                                {"pmevent", emit_nothing}};

}  // namespace
}  // namespace control

std::span<const Family> control_families() { return control::kFamilies; }

}  // namespace kmux::simt::ptx
