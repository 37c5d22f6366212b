// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace kmux {

/// Returns the smallest multiple of `unit`, which must be positive, that is not below `value`, which must not be negative.
template <class Integer>
constexpr Integer rounded_up(Integer value, std::type_identity_t<Integer> unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace kmux
