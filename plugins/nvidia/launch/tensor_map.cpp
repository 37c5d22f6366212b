#include "nvidia/launch/tensor_map.h"

#include <string.h>

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

// Compares without branches: nearly every call has a map of equal shape.
bool has_shape_of(const MapSlot& slot, const kmux_map_geometry& geometry) {
  unsigned long long difference = 0;
  for (unsigned i = 0; i < geometry.rank; ++i) difference |= slot.dims[i] ^ geometry.dims[i];
  for (unsigned i = 0; i + 1 < geometry.rank; ++i) difference |= slot.strides_bytes[i] ^ geometry.strides_bytes[i];
  return difference == 0;
}

void remember_map(MapSlot& slot, const kmux_tensor_map& map, const kmux_map_geometry& geometry) {
  slot.map = map;
  slot.base = geometry.base;
  for (unsigned i = 0; i < geometry.rank; ++i) slot.dims[i] = geometry.dims[i];
  for (unsigned i = 0; i + 1 < geometry.rank; ++i) slot.strides_bytes[i] = geometry.strides_bytes[i];
  slot.valid = true;
}

int move_map(const DriverTable& driver, MapSlot& slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
             kmux_sink error) {
  slot.valid = false;
  if (const int code = check_map_base(geometry, error)) return code;
  const CUresult result = driver.replace_address(&slot.map, geometry.base);
  if (result != CUDA_SUCCESS) {
    return fail_call(driver, error, "cuTensorMapReplaceAddress", result, "tensor map \"%s\"", geometry.name);
  }
  slot.base = geometry.base;
  slot.valid = true;
  *map = slot.map;
  return 0;
}

// Casts to the driver's 64-bit type, a different type of the same size.
const uint64_t* driver_words(const unsigned long long* words) { return reinterpret_cast<const uint64_t*>(words); }

// Returns a valid address also for rank 1, which has no strides: the driver requires one.
const uint64_t* driver_strides(const kmux_map_geometry& geometry) {
  static constexpr uint64_t kNone = 0;
  return geometry.rank > 1 ? driver_words(geometry.strides_bytes) : &kNone;
}

constexpr char kEmptyMapMark[sizeof(EmptyMap::mark)] = "kmux: no elements";
static_assert(sizeof(EmptyMap) <= sizeof(kmux_tensor_map));

bool mark_if_empty(kmux_tensor_map* map, const kmux_map_geometry& geometry) {
  for (unsigned i = 0; i < geometry.rank; ++i) {
    if (geometry.dims[i] != 0) continue;
    EmptyMap empty = {{}, geometry.name, i};
    memcpy(empty.mark, kEmptyMapMark, sizeof empty.mark);
    memcpy(map, &empty, sizeof empty);
    return true;
  }
  return false;
}

// Handles the slot for tiled and im2col maps; `encode` checks the map and writes it.
template <class Encode>
int encode_through(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                   kmux_sink error, const char* call, Encode encode) {
  if (copy_kept_map(slot, geometry, map)) return 0;
  if (slot != nullptr && slot->valid && has_shape_of(*slot, geometry)) {
    return move_map(driver, *slot, map, geometry, error);
  }
  if (mark_if_empty(map, geometry)) return kEmptyMap;  // no slot has such a shape
  if (slot != nullptr) slot->valid = false;
  CUresult result = CUDA_SUCCESS;
  if (const int code = encode(&result)) return code;
  if (result != CUDA_SUCCESS) return fail_call(driver, error, call, result, "tensor map \"%s\"", geometry.name);
  if (slot != nullptr) remember_map(*slot, *map, geometry);
  return 0;
}

constexpr unsigned kMaxMapRank = 5;
constexpr unsigned kMinIm2colRank = 3;
constexpr long long kMaxMapDim = 1LL << 32;
constexpr long long kMaxMapStrideBytes = (1LL << 40) - 1;
constexpr long long kMaxBoxSide = 256;
constexpr long long kMaxElementStride = 8;
constexpr long long kMaxMapChannels = 256;
constexpr long long kMaxMapPixels = 1024;
constexpr long long kMapUnitBytes = 16;
constexpr long long kWideMapUnitBytes = 32;
constexpr long long kPackedElements = 128;
constexpr unsigned kInterleave32B = 2;
constexpr unsigned kSwizzle32B = 1;

// An element type; the table is indexed by the driver's numbers, CUtensorMapDataType.
struct MapElement {
  int bits;
  bool is_float;
  bool is_packed;  // in units of 16 bytes with gaps
};
constexpr MapElement kMapElements[] = {{8, false, false},  {16, false, false}, {32, false, false}, {32, false, false},
                                       {64, false, false}, {64, false, false}, {16, true, false},  {32, true, false},
                                       {64, true, false},  {16, true, false},  {32, true, false},  {32, true, false},
                                       {32, true, false},  {4, false, false},  {4, false, true},   {6, false, true}};
constexpr unsigned kMapElementCount = sizeof(kMapElements) / sizeof(kMapElements[0]);

// The most bytes of a box's innermost side, by the driver's numbers, CUtensorMapSwizzle; 0 means any.
constexpr long long kSwizzleSpans[] = {0, 32, 64, 128, 128, 128, 128};
constexpr unsigned kSwizzleCount = sizeof(kSwizzleSpans) / sizeof(kSwizzleSpans[0]);

// Checks one map. Each problem is written to the sink at once: the first begins the sentence, `finish` ends it.
class MapCheck {
 public:
  MapCheck(const kmux_map_geometry& geometry, kmux_sink error)
      : map_(geometry), error_(error), rank_(geometry.rank < kMaxMapRank ? geometry.rank : kMaxMapRank) {}

  void base() {
    if (map_.base == nullptr) return void(fail(problem(), 0, "the base is null"));
    if (reinterpret_cast<uintptr_t>(map_.base) % static_cast<uintptr_t>(unit()) == 0) return;
    fail(problem(), 0, "the base is %p (not a multiple of %lld bytes)", map_.base, unit());
  }

  void shape(unsigned least_rank) {
    within("the rank", map_.rank, least_rank, kMaxMapRank);
    if (map_.dtype >= kMapElementCount) fail(problem(), 0, "the data type is number %u (unknown)", map_.dtype);
    for (unsigned i = 0; i < rank_; ++i) nth_within("dimension", i, signed_of(map_.dims[i]), 1, kMaxMapDim);
    if (element().is_packed && rank_ > 0) multiple("dimension", 0, signed_of(map_.dims[0]), kPackedElements);
    for (unsigned i = 0; i + 1 < rank_; ++i) stride(i, signed_of(map_.strides_bytes[i]));
    for (unsigned i = 0; i < rank_; ++i) {
      nth_within("element stride", i, map_.element_strides[i], 1, kMaxElementStride);
    }
  }

  void combinations() {
    if (map_.interleave != 0 && map_.rank < kMinIm2colRank)
      fail(problem(), 0, "it is interleaved (with rank 3 and more only)");
    if (map_.interleave == kInterleave32B && map_.swizzle != kSwizzle32B) {
      fail(problem(), 0, "interleave 32B is with swizzle number %u (32B, number %u, only)", map_.swizzle, kSwizzle32B);
    }
    if (map_.swizzle >= kSwizzleCount) fail(problem(), 0, "the swizzle is number %u (unknown)", map_.swizzle);
    if (map_.oob_fill != 0 && !element().is_float) fail(problem(), 0, "it fills with NaN (integers have none)");
  }

  void tiled(const unsigned* box) {
    for (unsigned i = 0; i < rank_; ++i) nth_within("box side", i, box[i], 1, kMaxBoxSide);
    if (rank_ > 0) inner_side("box side 0", box[0]);
  }

  void im2col(const Im2colBox& box) {
    corner("lower corner", box.lower_corner);
    corner("upper corner", box.upper_corner);
    within("the number of channels per pixel", box.channels_per_pixel, 1, kMaxMapChannels);
    within("the number of pixels per column", box.pixels_per_column, 1, kMaxMapPixels);
    inner_side("the number of channels per pixel", box.channels_per_pixel);
  }

  int finish() const {
    if (!found_) return 0;
    return fail(error_, KMUX_INVALID_ARGUMENT, ". Align or pad the tensor, or pass it without a tensor map.");
  }

 private:
  static long long signed_of(unsigned long long value) { return static_cast<long long>(value); }

  MapElement element() const {
    return map_.dtype < kMapElementCount ? kMapElements[map_.dtype] : MapElement{8, true, false};
  }
  long long unit() const {
    return map_.interleave == kInterleave32B || element().is_packed ? kWideMapUnitBytes : kMapUnitBytes;
  }

  // Writes the text before the next problem, and returns the sink for it.
  __attribute__((cold)) kmux_sink problem() {
    if (found_) {
      fail(error_, 0, "; ");
    } else {
      fail(error_, 0, "tensor map \"%s\" cannot be encoded: ", map_.name);
    }
    found_ = true;
    return error_;
  }

  void within(const char* what, long long value, long long low, long long high) {
    if (value < low || value > high) fail(problem(), 0, "%s is %lld (allowed: %lld to %lld)", what, value, low, high);
  }
  void nth_within(const char* what, unsigned index, long long value, long long low, long long high) {
    if (value >= low && value <= high) return;
    fail(problem(), 0, "%s %u is %lld (allowed: %lld to %lld)", what, index, value, low, high);
  }
  void multiple(const char* what, unsigned index, long long value, long long of) {
    if (value % of != 0) fail(problem(), 0, "%s %u is %lld (not a multiple of %lld)", what, index, value, of);
  }
  void stride(unsigned index, long long bytes) {
    nth_within("stride", index, bytes, 1, kMaxMapStrideBytes);
    multiple("stride", index, bytes, unit());
  }

  void inner_side(const char* what, long long elements) {
    if (element().is_packed) {
      if (elements != kPackedElements) fail(problem(), 0, "%s is %lld (128 for a packed type)", what, elements);
      return;
    }
    if (map_.interleave != 0 || elements < 1 || elements > kMaxBoxSide) return;
    const long long bits = elements * element().bits;
    if (bits % (8 * kMapUnitBytes) != 0)
      fail(problem(), 0, "%s has %lld bits (not a multiple of 16 bytes)", what, bits);
    const long long span = map_.swizzle < kSwizzleCount ? kSwizzleSpans[map_.swizzle] : 0;
    if (span != 0 && bits > 8 * span)
      fail(problem(), 0, "%s has %lld bytes (the swizzle spans %lld)", what, bits / 8, span);
  }

  // A corner value has 16, 8 or 5 bits in rank 3, 4 and 5.
  void corner(const char* what, const int* values) {
    constexpr long long kTops[] = {32768, 128, 16};
    if (map_.rank < kMinIm2colRank || map_.rank > kMaxMapRank) return;
    const long long top = kTops[map_.rank - kMinIm2colRank];
    for (unsigned i = 0; i + 2 < map_.rank; ++i) nth_within(what, i, values[i], -top, top - 1);
  }

  const kmux_map_geometry& map_;
  kmux_sink error_;
  unsigned rank_;
  bool found_ = false;
};

}  // namespace

const EmptyMap* empty_map_in(const void* argument, size_t size) {
  if (size != sizeof(kmux_tensor_map) || memcmp(argument, kEmptyMapMark, sizeof kEmptyMapMark) != 0) return nullptr;
  return static_cast<const EmptyMap*>(argument);
}

bool copy_kept_map(const MapSlot* slot, const kmux_map_geometry& geometry, kmux_tensor_map* map) {
  const bool is_kept = slot != nullptr && slot->valid && slot->base == geometry.base && has_shape_of(*slot, geometry);
  if (is_kept) *map = slot->map;
  return is_kept;
}

int encode_tiled_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                     const unsigned* box, kmux_sink error) {
  return encode_through(driver, slot, map, geometry, error, "cuTensorMapEncodeTiled", [&](CUresult* result) {
    if (const int code = check_tiled_map(geometry, box, error)) return code;
    *result = driver.encode_tiled(map, static_cast<int>(geometry.dtype), geometry.rank, geometry.base,
                                  driver_words(geometry.dims), driver_strides(geometry), box, geometry.element_strides,
                                  static_cast<int>(geometry.interleave), static_cast<int>(geometry.swizzle),
                                  static_cast<int>(geometry.l2_promotion), static_cast<int>(geometry.oob_fill));
    return 0;
  });
}

int encode_im2col_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                      const Im2colBox& box, kmux_sink error) {
  return encode_through(driver, slot, map, geometry, error, "cuTensorMapEncodeIm2col", [&](CUresult* result) {
    if (const int code = check_im2col_map(geometry, box, error)) return code;
    *result =
        driver.encode_im2col(map, static_cast<int>(geometry.dtype), geometry.rank, geometry.base,
                             driver_words(geometry.dims), driver_words(geometry.strides_bytes), box.lower_corner,
                             box.upper_corner, box.channels_per_pixel, box.pixels_per_column, geometry.element_strides,
                             static_cast<int>(geometry.interleave), static_cast<int>(geometry.swizzle),
                             static_cast<int>(geometry.l2_promotion), static_cast<int>(geometry.oob_fill));
    return 0;
  });
}

int check_tiled_map(const kmux_map_geometry& geometry, const unsigned* box, kmux_sink error) {
  MapCheck check(geometry, error);
  check.base();
  check.shape(1);
  check.tiled(box);
  check.combinations();
  return check.finish();
}

int check_im2col_map(const kmux_map_geometry& geometry, const Im2colBox& box, kmux_sink error) {
  MapCheck check(geometry, error);
  check.base();
  check.shape(kMinIm2colRank);
  check.im2col(box);
  check.combinations();
  return check.finish();
}

int check_map_base(const kmux_map_geometry& geometry, kmux_sink error) {
  MapCheck check(geometry, error);
  check.base();
  return check.finish();
}

}  // namespace kmux::nvidia
