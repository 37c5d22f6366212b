#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/builder.h"

#include "suite.h"

namespace kmux::suite {

/// A box that a kernel loads through a tensor map, and its expected content.
///
/// Shapes: all vectors innermost dimension first, as in the map.
struct Box {
  Shape dims;
  Shape box;
  Shape corner;  // start of the box, may be outside of the tensor
  Shape element_strides = {};
  double fill = 0;  // the value outside of the tensor

  std::int64_t element_count() const;
  /// Returns the elements in the order of shared memory, of a tensor whose elements are 0, 1, 2, ...
  Numbers expected() const;
};

/// As `Box`, through an im2col map: `pixels` positions from `corner` on, W first.
struct Columns {
  Shape dims;  // C, W, H, D, N as far as the rank goes
  Shape lower;
  Shape upper;
  std::int64_t channels = 0;
  std::int64_t pixels = 0;
  Shape corner;
  Shape offsets;  // of the kernel's position: W, H, D

  Numbers expected() const;
};

/// Returns the element strides of a tensor without gaps.
Shape packed_strides(const Shape& dims);

/// Returns the numbers in their order in shared memory of 128-byte rows: 16-byte pieces swapped by the row.
///
/// Source: PTX ISA, "Swizzling modes".
Numbers swizzled(const Numbers& numbers, std::int64_t element_bytes, Swizzle swizzle);

/// Returns CUDA text with a kernel `load(map, out, bytes, c0, c1, ...)` that loads one box of `rank` dimensions and
/// writes its bytes to `out`. An im2col map adds offsets `o0, ...` at the end.
std::string load_kernel(std::size_t rank, bool is_im2col);

/// Adds the arguments of `load_kernel` after `map` and `out`.
void add_load_arguments(LaunchBuilder& launch, std::int64_t bytes, const Shape& corner, const Shape& offsets = {});

}  // namespace kmux::suite
