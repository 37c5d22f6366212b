// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// The member of `known` that `word` most likely means: at most a third of its letters (and at least one) differ, case
/// aside; the first of equals. Nothing if none is that near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// " Did you mean 'x'?" for a message; "" if nothing is near or `word` is itself known.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace kmux
