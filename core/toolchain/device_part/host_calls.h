// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "source_tokens.h"

namespace kmux {

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns true if `tokens` launch a kernel, or call functions that only a host has.
bool calls_host(std::span<const SourceToken> tokens);

}  // namespace kmux
