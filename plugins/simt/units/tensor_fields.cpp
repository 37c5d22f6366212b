#include "simt/units/tensor_fields.h"

#include <algorithm>
#include <array>
#include <string>

#include "simt/runtime/launch.h"
#include "simt/units/tensor_map.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kMaxStride = (1ULL << 40) - 1;
constexpr std::uint64_t kMapUnit = 16;  // bytes: addresses and strides are multiples

/// The values that a field can have.
struct FieldRange {
  const char* name;
  std::uint64_t low, high;
  std::uint64_t unit = 1;
  unsigned count = 0;  // of dimensions that have the field; 0: it is one for the map
};

// In the order of TensorField.
constexpr auto kRanges = std::to_array<FieldRange>({{"global_address", kMapUnit, ~0ULL, kMapUnit},
                                                    {"rank", 0, 4},
                                                    {"box_dim", 1, 256, 1, 5},
                                                    {"global_dim", 1, 1ULL << 32, 1, 5},
                                                    {"global_stride", 0, kMaxStride, kMapUnit, 4},
                                                    {"element_stride", 1, 8, 1, 5},
                                                    {"elemtype", 0, 12},
                                                    {"interleave_layout", 0, 0},
                                                    {"swizzle_mode", 0, 3},
                                                    {"swizzle_atomicity", 0, 0},
                                                    {"fill_mode", 0, 1}});

// The driver's number of each type of PTX: u8, u16, u32, s32, u64, s64, f16, f32, f32.ftz, f64, bf16, tf32, tf32.ftz.
constexpr std::array<std::uint8_t, 13> kTypesOfPtx = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};

void check(TensorField field, unsigned dimension, std::uint64_t value) {
  const FieldRange& range = kRanges[static_cast<std::size_t>(field)];
  const bool has_dimension = range.count == 0 || dimension < range.count;
  if (has_dimension && value >= range.low && value <= range.high && value % range.unit == 0) return;
  throw KernelFailure("tensormap.replace sets " + std::string(range.name) +
                      (range.count == 0 ? "" : " of dimension " + std::to_string(dimension)) + " to " +
                      std::to_string(value) + " (which copies of backend cpu do not have). Use another value.");
}

bool is_zero(const EncodedMap& map) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&map);
  return std::all_of(bytes, bytes + sizeof map, [](unsigned char byte) { return byte == 0; });
}

EncodedMap& map_at(void* address) {
  auto& map = *static_cast<EncodedMap*>(address);
  const bool is_map = reinterpret_cast<std::uintptr_t>(address) % alignof(EncodedMap) == 0 && address != nullptr &&
                      (map.mark == EncodedMap::kMark || is_zero(map));
  if (is_map) return map;
  throw KernelFailure(
      "tensormap.replace changes bytes that are not a tensor map (it needs a copy of one, or zeros, aligned to 64 "
      "bytes). Copy the map first.");
}

void set(EncodedMap& map, TensorField field, unsigned dimension, std::uint64_t value) {
  switch (field) {
    case TensorField::kGlobalAddress:
      return void(map.base = reinterpret_cast<char*>(value));  // NOLINT(performance-no-int-to-ptr): PTX has numbers
    case TensorField::kRank:
      return void(map.rank = static_cast<std::uint8_t>(value + 1));
    case TensorField::kBoxDim:
      return void(map.box[dimension] = static_cast<std::uint16_t>(value));
    case TensorField::kGlobalDim:
      return void(map.last[dimension] = static_cast<std::uint32_t>(value - 1));
    case TensorField::kGlobalStride:
      return void(map.strides[dimension] = value);
    case TensorField::kElementStride:
      return void(map.steps[dimension] = static_cast<std::uint8_t>(value));
    case TensorField::kElementType:
      return void(map.dtype = kTypesOfPtx[value]);
    case TensorField::kSwizzleMode:
      return void(map.swizzle = static_cast<std::uint8_t>(value));
    case TensorField::kFillMode:
      return void(map.fill = static_cast<std::uint8_t>(value));
    case TensorField::kInterleaveLayout:
    case TensorField::kSwizzleAtomicity:
      return;  // 0 alone
  }
}

}  // namespace

void replace_field(void* map, TensorField field, unsigned dimension, std::uint64_t value) {
  EncodedMap& changed = map_at(map);
  check(field, dimension, value);
  changed.mark = EncodedMap::kMark;
  set(changed, field, dimension, value);
}

}  // namespace kmux::simt
