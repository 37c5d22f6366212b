#include "simt/units/tensor_box.h"

#include <algorithm>
#include <string>

#include "simt/runtime/launch.h"

namespace kmux::simt {
namespace {

constexpr std::int64_t kRowAlignment = 16;  // bytes, in the tensor

// Returns the bytes of shared memory for a row. A row narrower than the swizzle leaves the rest of the span as it is.
std::uint32_t pitch_of(std::uint32_t row_bytes, unsigned swizzle) {
  constexpr std::array<std::uint32_t, 4> kSpans = {0, 32, 64, 128};  // by the driver's numbers, CUtensorMapSwizzle
  return std::max(row_bytes, kSpans[swizzle]);
}

[[noreturn]] void refuse_coordinate(std::int64_t coordinate, std::int64_t element) {
  throw KernelFailure("a copy by a tensor map begins at innermost coordinate " + std::to_string(coordinate) +
                      " (with elements of " + std::to_string(element) +
                      " bytes, which is not a multiple of 16 bytes). Use a multiple of " +
                      std::to_string(kRowAlignment / element) + ".");
}

}  // namespace

TensorBox::TensorBox(const EncodedMap& map, const BoxPlace& place) : map_(map), offsets_(place.offsets) {
  std::copy_n(place.coordinates, map.rank, first_.begin());
  for (unsigned i = 1; i < map.rank && !map.is_im2col; ++i) sides_[i] = (map.box[i] + map.steps[i] - 1) / map.steps[i];
  if (map.is_im2col) sides_[1] = map.box[1];
  for (const std::int64_t side : sides_) rows_ *= static_cast<std::uint64_t>(side);
  const std::int64_t element = element_bytes(map.dtype);
  if (first_[0] * element % kRowAlignment != 0) refuse_coordinate(first_[0], element);
  const std::int64_t width = map.box[0], extent = std::int64_t{map.last[0]} + 1;
  row_bytes_ = static_cast<std::uint32_t>(width * element);
  pitch_ = pitch_of(row_bytes_, map.swizzle);
  inside_begin_ = static_cast<std::uint32_t>(std::clamp(-first_[0], std::int64_t{0}, width) * element);
  inside_end_ = static_cast<std::uint32_t>(std::clamp(extent - first_[0], std::int64_t{0}, width) * element);
  skipped_ = first_[0] * element;
}

BoxRow TensorBox::row_at(const Position& at, std::uint32_t begin) const {
  const BoxRow outside = {begin, begin, begin, begin + row_bytes_, nullptr};
  if (inside_begin_ >= inside_end_) return outside;
  std::uint64_t offset = 0;
  for (unsigned i = 1; i < map_.rank; ++i) {
    const bool is_shifted = offsets_ != nullptr && i + 1U < map_.rank;
    const std::int64_t place = at[i] + (is_shifted ? offsets_[i - 1] : 0);
    if (place < 0 || place > map_.last[i]) return outside;
    offset += static_cast<std::uint64_t>(place) * map_.strides[i - 1];
  }
  char* const elements = map_.base + offset + skipped_ + inside_begin_;
  return {begin, begin + inside_begin_, begin + inside_end_, begin + row_bytes_, elements};
}

void TensorBox::next_row(Position& at, Position& index) const {
  for (unsigned i = 1; i < map_.rank; ++i) {
    at[i] += map_.steps[i];
    if (++index[i] < sides_[i]) return;
    index[i] = 0;
    at[i] = first_[i];
  }
}

// The corners are the bounds of base pixels in all dimensions but the outermost.
void TensorBox::next_pixel(Position& at) const {
  for (unsigned i = 1; i < map_.rank; ++i) {
    at[i] += map_.steps[i];
    if (i + 1U == map_.rank || at[i] <= std::int64_t{map_.last[i]} + map_.upper_corner[i - 1]) return;
    at[i] = map_.lower_corner[i - 1];
  }
}

}  // namespace kmux::simt
