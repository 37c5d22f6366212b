#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "source_tokens.h"

namespace kmux {

/// A declaration at namespace or class scope, as far as it can be read without the types.
struct Declaration {
  enum class Kind : std::uint8_t { kFunction, kType, kVariable, kDirectiveOfScope, kAssertion };
  Kind kind = Kind::kVariable;
  std::size_t first = 0;  // its tokens, up to and without `last`
  std::size_t last = 0;
  std::size_t body = 0;                         // the brace that begins the body of a function or type; 0: none
  std::vector<std::string_view> names = {};     // that it may declare; empty if that cannot be told
  bool is_operator = false;
};

/// Does a macro of this name stand for a whole declaration, so that no semicolon need follow its arguments?
using IsStatement = bool (*)(void* context, std::string_view macro);

/// Reads the declarations of `tokens` that stand in namespaces and in `extern "C"` blocks, or directly in a class of which these
/// are the members. Of two branches of an `#if` within a declaration the first counts.
///
/// Errors: nothing where the brackets do not match.   Threads: any.
std::optional<std::vector<Declaration>> read_declarations(std::span<const SourceToken> tokens, IsStatement is_statement,
                                                          void* context);

}  // namespace kmux
