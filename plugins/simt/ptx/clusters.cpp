// The shared memory of other blocks of a cluster: mapa, getctarank, isspacep.
#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"
#include "simt/ptx/units.h"

namespace kmux::simt::ptx {
namespace clusters {
namespace {

// mapa.shared::cluster.u32 d, a, rank; mapa.u64 d, a, rank of generic addresses.
Status emit_mapa(Instruction& in) {
  const bool is_shared = in.take("shared::cluster");
  KMUX_TRY(in.check(1, 3));
  const unsigned bits = in.type(0).whole();
  if (bits != 64 && !(bits == 32 && is_shared)) return in.refuse("generic addresses have 64 bits");
  KMUX_ASSIGN(Value* const own, register_address(in.emitter(), in.operand(1), is_shared));
  KMUX_ASSIGN(Value* const rank, in.read(2, kB32));
  Builder& builder = in.builder();
  Value* const mapped = call_unit(builder, "cluster.map", builder.getPtrTy(), {own, rank});
  if (bits == 64) return in.write(mapped);
  return in.write(builder.CreatePtrToInt(mapped, builder.getInt32Ty()));
}

// getctarank.shared::cluster.u32 rank, a.
Status emit_rank(Instruction& in) {
  const bool is_shared = in.take("shared::cluster");
  KMUX_TRY(in.check(1, 2));
  KMUX_ASSIGN(Value* const place, register_address(in.emitter(), in.operand(1), is_shared));
  return in.write(call_unit(in.builder(), "cluster.rank", in.builder().getInt32Ty(), {place}));
}

// isspacep.shared p, a.
Status emit_is_in_space(Instruction& in) {
  const std::size_t space = in.take_any({"shared", "shared::cta", "shared::cluster"});
  if (space == 3) return in.refuse("only \".shared\" addresses are known by their place");
  KMUX_TRY(in.check(0, 2));
  KMUX_ASSIGN(Value* const place, register_address(in.emitter(), in.operand(1), false));
  Builder& builder = in.builder();
  Value* const is_there =
      call_unit(builder, "cluster.is_shared", builder.getInt32Ty(), {place, builder.getInt32(space == 2 ? 1 : 0)});
  return in.write(builder.CreateICmpNE(is_there, builder.getInt32(0)));
}

constexpr Family::Effect kMemory = Family::Effect::kMemory;
constexpr Family kFamilies[] = {
    {"mapa", emit_mapa, kMemory}, {"getctarank", emit_rank, kMemory}, {"isspacep", emit_is_in_space, kMemory}};

}  // namespace
}  // namespace clusters

std::span<const Family> cluster_families() { return clusters::kFamilies; }

}  // namespace kmux::simt::ptx
