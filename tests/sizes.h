// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace kmux {

/// Returns true if the suite runs in its large size: `./kmux.sh test --all` sets KMUX_ALL_TESTS=1.
inline bool has_all_tests() {
  const char* const value = std::getenv("KMUX_ALL_TESTS");
  return value != nullptr && std::string_view(value) == "1";
}

/// Returns the size of a sweep: `all` in the large size, `some` in the small one.
template <class Count>
Count of_size(Count some, Count all) {
  return has_all_tests() ? all : some;
}

}  // namespace kmux
