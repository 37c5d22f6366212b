#pragma once

#include <cstdint>

#include "simt/units/reductions.h"

namespace kmux::simt {

/// The place of a box in the tensor of a map.
struct BoxPlace {
  const int* coordinates;  // of its first element, innermost first; may be outside of the tensor
  unsigned rank;  // the number of coordinates, as the instruction has it
  const std::uint16_t* offsets = nullptr;  // from base pixels, rank - 2 values, in im2col mode; else null
};

/// Copies the box at `place` of the tensor map at `map` to shared memory at `to`, swizzled. Elements out of bounds get
/// the fill of the map. Returns the bytes of the whole box.
///
/// Errors: throws KernelFailure if the map, its mode or its rank is wrong, or the box has no such place in shared
///         memory: it must be aligned to 128 bytes and end within the memory of its block.
/// Source: CUDA Driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col; PTX ISA, Tensors.
std::uint32_t load_box(const void* map, const BoxPlace& place, char* to);

/// Returns the bytes of shared memory from the first row of a box to the last. Errors as `load_box`.
std::uint64_t box_extent(const void* map, const BoxPlace& place);

/// Copies a box from shared memory at `from` to the tensor, without the elements out of bounds. Errors as `load_box`.
void store_box(const void* map, const BoxPlace& place, const char* from);

/// Combines the elements of the tensor with those of a box in shared memory. Errors as `load_box`, and an operation
/// that the type of the map does not have.
void reduce_box(const void* map, const BoxPlace& place, const char* from, Reduction operation);

}  // namespace kmux::simt
