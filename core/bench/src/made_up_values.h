#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// The prefix of a seeded source of values: "random:1".
inline constexpr std::string_view kRandom = "random:";

/// Returns true for the sources that `fill` accepts: zeros, ones, arange and those that begin with kRandom.
bool is_generator(std::string_view source);

/// Returns the seed of a source that begins with kRandom.
///
/// Errors: invalid_argument if it has none.
Result<std::uint64_t> seed_of(const std::string& source);

/// Errors: unsupported for a type whose elements share bytes.
Status check_has_bytes(DType type);

/// Sets every number of a contiguous host tensor from `source`, which must be a generator. Equal seeds give equal
/// values.
///
/// Errors: as for `seed_of` and `check_has_bytes`.
Status fill(const Tensor& whole, const std::string& source);

}  // namespace kmux::bench
