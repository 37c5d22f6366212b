#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kmux::cpu {

/// The bytes of the leading lines of `source` that are blank, comments or an `#include`; 0 if nothing is included.
///
/// What it begins with says all that Clang must know to have those headers compiled in advance: no macro or declaration
/// of the source comes before them.
std::size_t preamble_size(std::string_view source);

/// The first bytes of a source, and what Clang made of them.
struct Preamble {
  std::size_t size = 0;
  std::shared_ptr<const std::string> precompiled = {};  // null: none
};

}  // namespace kmux::cpu
