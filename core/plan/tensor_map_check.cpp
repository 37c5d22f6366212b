#include "kmux/plugin/tensor_map_check.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

namespace kmux {
namespace {

// Writes text, formatted as by printf.
__attribute__((format(printf, 2, 3), cold)) void write_text(kmux_sink sink, const char* format, ...) {
  char text[2048];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  sink.write(sink.self, text, strlen(text));
}

constexpr char kEmptyMapMark[sizeof(EmptyMap::mark)] = "kmux: no elements";
static_assert(sizeof(EmptyMap) <= sizeof(kmux_tensor_map));

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
    if (map_.base == nullptr) return void(write_text(problem(), "the base is null"));
    if (reinterpret_cast<uintptr_t>(map_.base) % static_cast<uintptr_t>(unit()) == 0) return;
    write_text(problem(), "the base is %p (not a multiple of %lld bytes)", map_.base, unit());
  }

  void shape(unsigned least_rank) {
    within("the rank", map_.rank, least_rank, kMaxMapRank);
    if (map_.dtype >= kMapElementCount) write_text(problem(), "the data type is number %u (unknown)", map_.dtype);
    for (unsigned i = 0; i < rank_; ++i) nth_within("dimension", i, signed_of(map_.dims[i]), 1, kMaxMapDim);
    if (element().is_packed && rank_ > 0) multiple("dimension", 0, signed_of(map_.dims[0]), kPackedElements);
    for (unsigned i = 0; i + 1 < rank_; ++i) stride(i, signed_of(map_.strides_bytes[i]));
    for (unsigned i = 0; i < rank_; ++i) {
      nth_within("element stride", i, map_.element_strides[i], 1, kMaxElementStride);
    }
  }

  void combinations() {
    if (map_.interleave != 0 && map_.rank < kMinIm2colRank)
      write_text(problem(), "it is interleaved (with rank 3 and more only)");
    if (map_.interleave == kInterleave32B && map_.swizzle != kSwizzle32B) {
      write_text(problem(), "interleave 32B is with swizzle number %u (32B, number %u, only)", map_.swizzle,
                 kSwizzle32B);
    }
    if (map_.swizzle >= kSwizzleCount) write_text(problem(), "the swizzle is number %u (unknown)", map_.swizzle);
    if (map_.oob_fill != 0 && !element().is_float) write_text(problem(), "it fills with NaN (integers have none)");
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
    write_text(error_, ". Align or pad the tensor, or pass it without a tensor map.");
    return KMUX_INVALID_ARGUMENT;
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
      write_text(error_, "; ");
    } else {
      write_text(error_, "tensor map \"%s\" cannot be encoded: ", map_.name);
    }
    found_ = true;
    return error_;
  }

  void within(const char* what, long long value, long long low, long long high) {
    if (value >= low && value <= high) return;
    write_text(problem(), "%s is %lld (allowed: %lld to %lld)", what, value, low, high);
  }
  void nth_within(const char* what, unsigned index, long long value, long long low, long long high) {
    if (value >= low && value <= high) return;
    write_text(problem(), "%s %u is %lld (allowed: %lld to %lld)", what, index, value, low, high);
  }
  void multiple(const char* what, unsigned index, long long value, long long of) {
    if (value % of != 0) write_text(problem(), "%s %u is %lld (not a multiple of %lld)", what, index, value, of);
  }
  void stride(unsigned index, long long bytes) {
    nth_within("stride", index, bytes, 0, kMaxMapStrideBytes);
    multiple("stride", index, bytes, unit());
  }

  void inner_side(const char* what, long long elements) {
    if (element().is_packed) {
      if (elements != kPackedElements) write_text(problem(), "%s is %lld (128 for a packed type)", what, elements);
      return;
    }
    if (map_.interleave != 0 || elements < 1 || elements > kMaxBoxSide) return;
    const long long bits = elements * element().bits;
    if (bits % (8 * kMapUnitBytes) != 0)
      write_text(problem(), "%s has %lld bits (not a multiple of 16 bytes)", what, bits);
    const long long span = map_.swizzle < kSwizzleCount ? kSwizzleSpans[map_.swizzle] : 0;
    if (span != 0 && bits > 8 * span)
      write_text(problem(), "%s has %lld bytes (the swizzle spans %lld)", what, bits / 8, span);
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

const EmptyMap* empty_map_in(const void* argument, size_t size) {
  const char* const bytes = static_cast<const char*>(argument);
  for (size_t at = 0; at + sizeof(kmux_tensor_map) <= size; at += alignof(kmux_tensor_map)) {
    if (memcmp(bytes + at, kEmptyMapMark, sizeof kEmptyMapMark) == 0)
      return reinterpret_cast<const EmptyMap*>(bytes + at);
  }
  return nullptr;
}

int refuse_empty_map(const EmptyMap& map, const char* kernel, kmux_sink error) {
  write_text(error,
             "tensor map \"%s\" has no elements (dim %u is 0), but \"%s\" is launched. Launch an empty grid for "
             "an empty tensor, or pass one that is not.",
             map.name, map.dim, kernel);
  return KMUX_INVALID_ARGUMENT;
}

}  // namespace kmux
