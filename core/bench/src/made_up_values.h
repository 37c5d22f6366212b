#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// What a source of values that depends on a seed begins with: "random:1".
inline constexpr std::string_view kRandom = "random:";

/// Returns true for the sources that `fill` takes: zeros, ones, arange and those that begin with kRandom.
bool is_generator(std::string_view source);

/// The seed of a source that begins with kRandom.
///
/// Errors: invalid_argument if it has none.
Result<std::uint64_t> seed_of(const std::string& source);

/// Errors: unsupported for a type whose elements share bytes.
Status check_has_bytes(DType type);

/// Sets every number of a contiguous host tensor to what `source`, a generator, gives. Equal seeds give equal values.
///
/// Errors: as `seed_of` and `check_has_bytes`.
Status fill(const Tensor& whole, const std::string& source);

}  // namespace kmux::bench
