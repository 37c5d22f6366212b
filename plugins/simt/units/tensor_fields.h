#pragma once

#include <cstdint>

namespace kmux::simt {

/// The fields of a tensor map that `tensormap.replace` sets, by numbers that code passes to the runtime.
enum class TensorField : unsigned {
  kGlobalAddress,
  kRank,  // less 1
  kBoxDim,
  kGlobalDim,
  kGlobalStride,  // bytes; number 0 is that of dimension 1
  kElementStride,
  kElementType,  // a number of PTX
  kInterleaveLayout,
  kSwizzleMode,
  kSwizzleAtomicity,
  kFillMode,
};

/// Sets `field` of the map at `map` to `value`; `dimension` counts from 0, and is without effect for other fields. A
/// map of zeros becomes a tiled map.
///
/// Errors: throws KernelFailure if there is neither a valid map nor zeros, or the field cannot have the value.
/// Source: PTX ISA 9.0, tensormap.replace.
void replace_field(void* map, TensorField field, unsigned dimension, std::uint64_t value);

}  // namespace kmux::simt
