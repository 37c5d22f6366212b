#include <algorithm>
#include <cstring>

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

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 32;
constexpr std::uint64_t kStrideLimit = std::uint64_t{1} << 40;

bool is_aligned(const void* address, std::uintptr_t to) { return reinterpret_cast<std::uintptr_t>(address) % to == 0; }

// Source: CUDA Driver API, cuTensorMapEncodeTiled; only what both modes share and no value can be stored without.
bool is_valid(const void* map, const Shape& shape) {
  const std::uint64_t unit = shape.interleave == 2 ? 32 : 16;
  if (shape.strides == nullptr) return false;  // also in rank 1, where there are none: seen on an H200
  if (!is_aligned(map, 64) || !is_aligned(shape.base, unit) || shape.rank < 1 || shape.rank > 5) return false;
  for (std::uint32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] == 0 || shape.dims[i] > kMostElements) return false;
    if (shape.element_strides[i] == 0 || shape.element_strides[i] > 8) return false;
    if (i > 0 && (shape.strides[i - 1] % unit != 0 || shape.strides[i - 1] >= kStrideLimit)) return false;
  }
  return shape.swizzle >= 0 && shape.interleave >= 0 && shape.interleave <= 2 && shape.oob_fill >= 0;
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
    if (!is_valid(map, shape)) return CUDA_ERROR_INVALID_VALUE;
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
    if (!is_valid(map, shape) || corners == 0 || channels > 256 || pixels > 1024) return CUDA_ERROR_INVALID_VALUE;
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
    if (!is_aligned(map, 64) || bytes.magic != kTensorMapMagic || !is_aligned(base, 16)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    bytes.base = reinterpret_cast<std::uintptr_t>(base);
    write(map, bytes);
    return CUDA_SUCCESS;
  });
}

}  // namespace kmux::fake_cuda
