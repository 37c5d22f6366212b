#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kmux {

/// A piece of C++ text, as a compiler's first phases cut it.
struct SourceToken {
  enum class Kind : std::uint8_t { kWord, kValue, kSign, kDirective };
  Kind kind = Kind::kSign;
  std::string_view text;  // of a directive the whole, with joined lines

  bool is(std::string_view other) const { return text == other; }
  bool is_word() const { return kind == Kind::kWord; }
  bool is_directive() const { return kind == Kind::kDirective; }
};

/// The tokens of `text`, without comments. Signs are of one character, but "::", "->", "<=", ">=", "==", "&&", "<<" and the
/// "<<<" of a launch: those that end a list of template arguments stay apart.
///
/// Lifetime: borrows `text`.
std::vector<SourceToken> tokens_of(std::string_view text);

/// The name of a directive, "include" of "#  include <x.h>", and what follows it, trimmed.
struct DirectiveParts {
  std::string_view name;
  std::string_view rest;
};
DirectiveParts directive_parts(std::string_view directive);

}  // namespace kmux
