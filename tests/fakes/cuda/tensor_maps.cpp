#include <algorithm>
#include <cstring>
#include <iterator>

#include "call.h"

namespace kmux::fake_cuda {
namespace {

struct Shape {
  int dtype;
  std::uint32_t rank;
  void* base;
  const std::uint64_t* dims;
  const std::uint64_t* strides;
  const std::uint32_t* element_strides;
  int interleave, swizzle, l2_promotion, oob_fill;
};

constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 32;
constexpr std::uint64_t kStrideLimit = std::uint64_t{1} << 40;

bool is_aligned(const void* address, std::uintptr_t to) { return reinterpret_cast<std::uintptr_t>(address) % to == 0; }

// Indexed by CUtensorMapDataType.
struct Element {
  unsigned bits;
  bool is_float, is_packed;  // packed with gaps into units of 16 bytes
};
constexpr Element kElements[] = {{8, false, false},  {16, false, false}, {32, false, false}, {32, false, false},
                                 {64, false, false}, {64, false, false}, {16, true, false},  {32, true, false},
                                 {64, true, false},  {16, true, false},  {32, true, false},  {32, true, false},
                                 {32, true, false},  {4, false, false},  {4, false, true},   {6, false, true}};
constexpr std::uint64_t kPackedElements = 128;
constexpr int kInterleave32B = 2, kLastSwizzle = 6, kLastPromotion = 3, kLastFill = 1;

bool is_enumerated(int value, int last) { return value >= 0 && value <= last; }

// Returns true if the values of types and modes are valid, each and in combination.
bool has_valid_modes(const Shape& shape) {
  const bool known = is_enumerated(shape.dtype, static_cast<int>(std::size(kElements)) - 1) &&
                     is_enumerated(shape.interleave, kInterleave32B) && is_enumerated(shape.swizzle, kLastSwizzle) &&
                     is_enumerated(shape.l2_promotion, kLastPromotion) && is_enumerated(shape.oob_fill, kLastFill);
  if (!known) return false;
  if (shape.interleave != 0 && shape.rank < 3) return false;
  return shape.oob_fill == 0 || kElements[shape.dtype].is_float;
}

// Returns true if the contiguous elements in shared memory are whole units and fit the span of the swizzle.
bool is_valid_inner(const Shape& shape, std::uint64_t elements) {
  constexpr std::uint64_t kSpans[] = {0, 32, 64, 128, 128, 128, 128};
  if (kElements[shape.dtype].is_packed) return elements == kPackedElements;
  if (shape.interleave != 0) return true;
  const std::uint64_t bits = elements * kElements[shape.dtype].bits, span = kSpans[shape.swizzle];
  return bits % 128 == 0 && (span == 0 || bits <= 8 * span);
}

std::uint64_t unit_of(const Shape& shape) {
  return shape.interleave == kInterleave32B || kElements[shape.dtype].is_packed ? 32 : 16;
}

// Checks the rules that both modes share. Source: CUDA Driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
bool is_valid(const Shape& shape) {
  if (!has_valid_modes(shape)) return false;
  const std::uint64_t unit = unit_of(shape);
  if (shape.strides == nullptr) return false;  // also in rank 1, which has no strides: observed on an H200
  if (!is_aligned(shape.base, unit) || shape.rank < 1 || shape.rank > 5) return false;
  for (std::uint32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] == 0 || shape.dims[i] > kMaxElements) return false;
    if (shape.element_strides[i] == 0 || shape.element_strides[i] > 8) return false;
    if (i > 0 && (shape.strides[i - 1] % unit != 0 || shape.strides[i - 1] >= kStrideLimit)) return false;
  }
  return !kElements[shape.dtype].is_packed || shape.dims[0] % kPackedElements == 0;
}

// Corners have 16, 8 or 5 bits in rank 3, 4 and 5.
bool are_corners(const int* values, std::uint32_t rank) {
  constexpr int kTops[] = {32768, 128, 16};
  const int top = kTops[rank - 3];
  return std::all_of(values, values + rank - 2, [&](int value) { return value >= -top && value < top; });
}

TensorMapBytes common_bytes(MapKind kind, const Shape& shape) {
  TensorMapBytes bytes{};
  bytes.magic = kTensorMapMagic;
  bytes.kind = kind;
  bytes.dtype = static_cast<std::uint8_t>(shape.dtype);
  bytes.rank = static_cast<std::uint8_t>(shape.rank);
  bytes.interleave = static_cast<std::uint8_t>(shape.interleave);
  bytes.swizzle = static_cast<std::uint8_t>(shape.swizzle);
  bytes.l2_promotion = static_cast<std::uint8_t>(shape.l2_promotion);
  bytes.oob_fill = static_cast<std::uint8_t>(shape.oob_fill);
  bytes.base = reinterpret_cast<std::uintptr_t>(shape.base);
  for (std::uint32_t i = 0; i < shape.rank; ++i) {
    bytes.dims_less_one[i] = static_cast<std::uint32_t>(shape.dims[i] - 1);
    bytes.element_strides[i] = static_cast<std::uint8_t>(shape.element_strides[i]);
    if (i > 0) bytes.strides_bytes[i - 1] = shape.strides[i - 1];
  }
  return bytes;
}

void write(void* map, const TensorMapBytes& bytes) {
  std::memset(map, 0, 128);
  std::memcpy(map, &bytes, sizeof bytes);
}

void describe(Call& call, const Shape& shape) {
  const std::uint32_t rank = std::min<std::uint32_t>(shape.rank, 5);
  call.with(" dtype ", shape.dtype, " rank ", shape.rank, " base ", shape.base, " dims ", list(shape.dims, rank));
  call.with(" strides ", list(shape.strides, rank == 0 ? 0 : rank - 1));
}

void describe_modes(Call& call, const Shape& shape) {
  call.with(" element_strides ", list(shape.element_strides, std::min<std::uint32_t>(shape.rank, 5)));
  call.with(" interleave ", shape.interleave, " swizzle ", shape.swizzle, " l2_promotion ", shape.l2_promotion);
  call.with(" oob_fill ", shape.oob_fill);
}

}  // namespace

CUresult cuTensorMapEncodeTiled(void* map, int dtype, std::uint32_t rank, void* base, const std::uint64_t* dims,
                                const std::uint64_t* strides, const std::uint32_t* box,
                                const std::uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,
                                int oob_fill) {
  const Shape shape{dtype, rank, base, dims, strides, element_strides, interleave, swizzle, l2_promotion, oob_fill};
  Call call("cuTensorMapEncodeTiled", Needs::kContext);
  describe(call, shape);
  call.with(" box ", list(box, std::min<std::uint32_t>(rank, 5)));
  describe_modes(call, shape);
  return call.run([&] {
    if (!is_valid(shape) || !is_valid_inner(shape, box[0])) return CUDA_ERROR_INVALID_VALUE;
    TensorMapBytes bytes = common_bytes(MapKind::kTiled, shape);
    for (std::uint32_t i = 0; i < rank; ++i) {
      if (box[i] == 0 || box[i] > 256) return CUDA_ERROR_INVALID_VALUE;
      bytes.box[i] = static_cast<std::uint16_t>(box[i]);
    }
    write(map, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuTensorMapEncodeIm2col(void* map, int dtype, std::uint32_t rank, void* base, const std::uint64_t* dims,
                                 const std::uint64_t* strides, const int* lower_corner, const int* upper_corner,
                                 std::uint32_t channels, std::uint32_t pixels, const std::uint32_t* element_strides,
                                 int interleave, int swizzle, int l2_promotion, int oob_fill) {
  const Shape shape{dtype, rank, base, dims, strides, element_strides, interleave, swizzle, l2_promotion, oob_fill};
  Call call("cuTensorMapEncodeIm2col", Needs::kContext);
  describe(call, shape);
  const std::uint32_t corners = rank >= 3 && rank <= 5 ? rank - 2 : 0;
  call.with(" lower ", list(lower_corner, corners), " upper ", list(upper_corner, corners));
  call.with(" channels ", channels, " pixels ", pixels);
  describe_modes(call, shape);
  return call.run([&] {
    if (!is_valid(shape) || corners == 0 || channels > 256 || pixels > 1024) return CUDA_ERROR_INVALID_VALUE;
    const bool fits = are_corners(lower_corner, rank) && are_corners(upper_corner, rank);
    if (!fits || !is_valid_inner(shape, channels)) return CUDA_ERROR_INVALID_VALUE;
    TensorMapBytes bytes = common_bytes(MapKind::kIm2col, shape);
    std::copy_n(lower_corner, corners, bytes.lower_corner);
    std::copy_n(upper_corner, corners, bytes.upper_corner);
    bytes.channels_per_pixel = static_cast<std::uint16_t>(channels);
    bytes.pixels_per_column = static_cast<std::uint16_t>(pixels);
    write(map, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuTensorMapReplaceAddress(void* map, void* base) {
  return Call("cuTensorMapReplaceAddress", Needs::kInit).with(" base ", base).run([&] {
    TensorMapBytes bytes;
    std::memcpy(&bytes, map, sizeof bytes);
    const std::uintptr_t unit = bytes.interleave == kInterleave32B ? 32 : 16;
    if (!is_aligned(map, 64) || bytes.magic != kTensorMapMagic || !is_aligned(base, unit)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    bytes.base = reinterpret_cast<std::uintptr_t>(base);
    write(map, bytes);
    return CUDA_SUCCESS;
  });
}

}  // namespace kmux::fake_cuda
