#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "source_tokens.h"

namespace kmux {

/// A declaration at namespace or class scope, parsed without type information.
struct Declaration {
  enum class Kind : std::uint8_t { kFunction, kType, kVariable, kDirectiveOfScope, kAssertion };
  Kind kind = Kind::kVariable;
  std::size_t first = 0;  // its tokens are [first, last)
  std::size_t last = 0;
  std::size_t body = 0;                         // the brace that begins the body of a function or type; 0: none
  std::vector<std::string_view> names = {};     // names it may declare; empty if unknown
  bool is_operator = false;
};

/// Returns true if macro `macro` expands to a whole declaration, so that no semicolon must follow its arguments.
using IsStatement = bool (*)(void* context, std::string_view macro);

/// Parses the declarations of `tokens` at namespace scope and in `extern "C"` blocks, or directly in a class whose
/// members these are. Of an `#if` within a declaration only the first branch counts.
///
/// Errors: returns nothing if brackets do not match.   Threads: any.
std::optional<std::vector<Declaration>> read_declarations(std::span<const SourceToken> tokens, IsStatement is_statement,
                                                          void* context);

}  // namespace kmux
