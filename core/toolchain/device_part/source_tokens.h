#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kmux {

/// A token of C++ text, as a compiler's first phases produce it.
struct SourceToken {
  enum class Kind : std::uint8_t { kWord, kValue, kSign, kDirective };
  Kind kind = Kind::kSign;
  std::string_view text;  // of a directive all of it, with joined lines

  bool is(std::string_view other) const { return text == other; }
  bool is_word() const { return kind == Kind::kWord; }
  bool is_directive() const { return kind == Kind::kDirective; }
};

/// Returns the tokens of `text`, without comments. Signs have one character, except "::", "->", "<=", ">=", "==", "&&",
/// "<<" and the "<<<" of a launch: those that close a template argument list stay separate.
///
/// Lifetime: the tokens are valid as long as `text`.
std::vector<SourceToken> tokens_of(std::string_view text);

/// The name of a directive, "include" of "#  include <x.h>", and the trimmed text after it.
struct DirectiveParts {
  std::string_view name;
  std::string_view rest;
};
DirectiveParts directive_parts(std::string_view directive);

}  // namespace kmux
