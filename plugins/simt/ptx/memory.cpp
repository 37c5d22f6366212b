// Loads and stores: ld, ldu, st.
#include "llvm/Support/Alignment.h"
#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"

namespace kmux::simt::ptx {
namespace memory {
namespace {

/// How memory is accessed.
struct Access {
  Type type;
  std::size_t count = 1;  // of a vector
  bool is_shared = false, is_volatile = false, has_policy = false;
  llvm::AtomicOrdering order = llvm::AtomicOrdering::NotAtomic;
};

// Takes the parts that choose a cache, which change no value: the caches of a processor need no choice.
void take_caches(Instruction& in) {
  for (const std::string_view one :
       {"ca", "cg", "cs", "lu", "wb", "wt", "nc", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
        "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::64B",
        "L2::128B", "L2::256B"}) {
    in.take(one);
  }
}

void take_space(Instruction& in, Access& access) {
  access.is_shared = take_shared(in);
  if (!access.is_shared) in.take_any({"global", "local", "const"});
}

// A processor has one scope: its memory is the same for all of its threads.
void take_order(Instruction& in, Access& access) {
  using llvm::AtomicOrdering;
  access.is_volatile = in.take("volatile") || in.take("cv");
  in.take("weak");
  if (in.take("relaxed") || in.take("mmio")) access.order = AtomicOrdering::Monotonic;
  if (in.take("acquire")) access.order = AtomicOrdering::Acquire;
  if (in.take("release")) access.order = AtomicOrdering::Release;
  if (access.order != AtomicOrdering::NotAtomic) in.take_any({"cta", "cluster", "gpu", "sys"});
}

Result<Access> access_of(Instruction& in) {
  if (in.types() != 1) return in.refuse("its type is missing");
  Access access{.type = in.type(0)};
  take_order(in, access);
  take_space(in, access);
  take_caches(in);
  access.has_policy = in.take("L2::cache_hint");
  constexpr std::size_t kCounts[] = {2, 4, 8, 1};
  access.count = kCounts[in.take_any({"v2", "v4", "v8"})];
  KMUX_TRY(in.check(1, access.has_policy ? 3 : 2));
  const bool is_plain = access.type.count == 1 && access.type != kPredicate &&
                        (access.type.is_integer() || access.type.is_native_float() || access.type.is_half());
  if (!is_plain || access.type.bits * access.count > 256) return in.refuse("this type is not supported");
  return access;
}

// Returns the operands of a vector, or the one operand.
Result<std::span<const Operand>> elements(const Operand& operand, const Access& access) {
  const bool is_vector = operand.kind == Operand::Kind::kVector;
  const std::span<const Operand> all = elements_of(operand);
  if (is_vector == (access.count > 1) && all.size() == access.count) return all;
  return Instruction::refuse("its operand has another number of elements than its type");
}

// Returns the address and alignment of element `i`. Vectors are aligned as a whole.
std::pair<Value*, llvm::Align> place(llvm::IRBuilder<>& builder, Value* base, const Access& access, std::size_t i) {
  const std::uint64_t bytes = access.type.bits / 8;
  const llvm::Align align = llvm::commonAlignment(llvm::Align(bytes * access.count), i * bytes);
  return {i == 0 ? base : builder.CreateGEP(builder.getInt8Ty(), base, builder.getInt64(i * bytes)), align};
}

Status emit_ld(Instruction& in) {
  KMUX_ASSIGN(const Access access, access_of(in));
  if (access.order == llvm::AtomicOrdering::Release) return in.refuse("a load does not release");
  KMUX_ASSIGN(Value* const base, address(in.emitter(), in.operand(1), access.is_shared));
  KMUX_ASSIGN(const auto targets, elements(in.operand(0), access));
  llvm::Type* const type = llvm_type(in.builder().getContext(), access.type);
  std::vector<Value*> loaded;  // all before the first write, which may be to a register of the address
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto [where, align] = place(in.builder(), base, access, i);
    llvm::LoadInst* const load = in.builder().CreateAlignedLoad(type, where, align, access.is_volatile);
    load->setOrdering(access.order);
    loaded.push_back(load);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) KMUX_TRY(in.emitter().write(targets[i], loaded[i], &access.type));
  return Ok{};
}

Status emit_st(Instruction& in) {
  const auto& parts = in.statement().parts;
  if (parts.size() > 1 && (parts[1] == "async" || parts[1] == "bulk")) return emit_special_store(in);
  KMUX_ASSIGN(const Access access, access_of(in));
  if (access.order == llvm::AtomicOrdering::Acquire) return in.refuse("a store does not acquire");
  KMUX_ASSIGN(Value* const base, address(in.emitter(), in.operand(0), access.is_shared));
  KMUX_ASSIGN(const auto sources, elements(in.operand(1), access));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    KMUX_ASSIGN(Value* const value, in.emitter().read(sources[i], access.type, /*is_wider_allowed=*/true));
    const auto [where, align] = place(in.builder(), base, access, i);
    in.builder().CreateAlignedStore(value, where, align, access.is_volatile)->setOrdering(access.order);
  }
  return Ok{};
}

constexpr Family kFamilies[] = {{"ld", emit_ld, Family::Effect::kMemory},
                                {"ldu", emit_ld, Family::Effect::kMemory},
                                {"st", emit_st, Family::Effect::kMemory}};

}  // namespace
}  // namespace memory

std::span<const Family> memory_families() { return memory::kFamilies; }

}  // namespace kmux::simt::ptx
