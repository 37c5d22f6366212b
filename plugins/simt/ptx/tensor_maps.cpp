// Changes of tensor maps: tensormap.replace, tensormap.cp_fenceproxy.
#include "simt/ptx/addresses.h"
#include "simt/ptx/families.h"
#include "simt/ptx/numbers.h"
#include "simt/ptx/units.h"
#include "simt/units/tensor_fields.h"

namespace kmux::simt::ptx {
namespace tensor_maps {
namespace {

constexpr unsigned kMapBytes = 128;

// Returns true for fields of a dimension.
bool has_dimension(TensorField field) {
  return field == TensorField::kBoxDim || field == TensorField::kGlobalDim || field == TensorField::kGlobalStride ||
         field == TensorField::kElementStride;
}

// tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], dimension, value.
Status emit_replace(Instruction& in) {
  const std::size_t number =
      in.take_any({"global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype",
                   "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode"});  // as TensorField
  if (!in.take("tile") || !in.take("b1024") || number == 11) return in.refuse("its field is unknown");
  const auto field = static_cast<TensorField>(number);
  const bool is_shared = in.take("shared::cta");
  in.take("global");
  KMUX_TRY(in.check(1, has_dimension(field) ? 3 : 2));
  const Type type = in.type(0);
  if (type != kB32 && type != kB64) return in.refuse("this type is not supported");
  Builder& builder = in.builder();
  KMUX_ASSIGN(Value* const map, address(in.emitter(), in.operand(0), is_shared));
  KMUX_ASSIGN(Value* const value, in.read(in.operands() - 1, type));
  Value* dimension = builder.getInt32(0);
  if (has_dimension(field)) {
    KMUX_ASSIGN(dimension, in.read(1, kB32));
  }
  call_unit(builder, "tensor.replace", builder.getVoidTy(),
            {map, builder.getInt32(static_cast<unsigned>(number)), dimension,
             builder.CreateZExt(value, builder.getInt64Ty())});
  return Ok{};
}

// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [to], [from], 128. Each lane
// copies the same.
Status emit_copy(Instruction& in) {
  for (const std::string_view part : {"global", "shared::cta", "tensormap::generic", "release", "sync", "aligned"}) {
    if (!in.take(part)) return in.refuse("it lacks \"." + std::string(part) + "\"");
  }
  in.take_any({"cta", "cluster", "gpu", "sys"});
  KMUX_TRY(in.check(0, 3));
  if (in.operand(2).kind != Operand::Kind::kInteger || in.operand(2).bits != kMapBytes)
    return in.refuse("a tensor map has 128 bytes");
  KMUX_ASSIGN(Value* const to, address(in.emitter(), in.operand(0), false));
  KMUX_ASSIGN(Value* const from, address(in.emitter(), in.operand(1), true));
  const llvm::MaybeAlign align(kMapBytes);
  in.builder().CreateMemCpy(to, align, from, align, kMapBytes);
  return Ok{};
}

Status emit_tensor_map(Instruction& in) {
  if (in.take("replace")) return emit_replace(in);
  return in.take("cp_fenceproxy") ? emit_copy(in) : in.refuse("its operation is unknown");
}

constexpr Family kFamilies[] = {{"tensormap", emit_tensor_map, Family::Effect::kMemory}};

}  // namespace
}  // namespace tensor_maps

std::span<const Family> tensor_map_families() { return tensor_maps::kFamilies; }

}  // namespace kmux::simt::ptx
