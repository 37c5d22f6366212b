#pragma once

#include <cstdint>

#include "simt/units/reductions.h"

namespace kmux::simt {

/// Combines each element of `type` at `to` with that at `from`, and stores the result at `to`.
///
/// Errors: throws KernelFailure if the type has no such operation.
void reduce_elements(char* to, const char* from, std::uint64_t bytes, Reduction operation, ElementType type);

}  // namespace kmux::simt
