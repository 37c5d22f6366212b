// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// Returns the member of `known` nearest to `word`, ignoring case; the first of several equally near ones. At most a
/// third of the letters of `word`, but always one, may differ. Returns nothing if no member is that near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// Returns " Did you mean 'x'?" for a message; "" if no member is near or `word` is itself in `known`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace kmux
