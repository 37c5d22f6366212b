#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux::simt::ptx {

/// The sign that stands before the number of an operand in the result of `plain_text`.
inline constexpr char kArgumentSign = '\1';

/// Returns the PTX of `text`, the string of an inline assembly in LLVM IR. LLVM writes "{", "|" and "}" of the source
/// as "$(", "$|" and "$)", and operands as "$0" or "${0:c}".
///
/// Errors: unsupported for an operand with a modifier.
Result<std::string> plain_text(std::string_view text);

/// A token of PTX.
struct Token {
  enum class Kind : std::uint8_t { kEnd, kWord, kNumber, kArgument, kSign };
  Kind kind = Kind::kEnd;
  std::string_view text;  // without kArgumentSign
  bool begins_line = false;

  bool is(std::string_view sign) const { return kind != Kind::kArgument && text == sign; }
};

/// Splits PTX into tokens. Unclosed comments reach to the end.
///
/// Lifetime: borrows `text`, as its tokens do.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();
  /// Returns `word`, the last token, with the parts of a mnemonic that follow it: ".shared::cta.b64".
  std::string_view mnemonic(std::string_view word);

 private:
  bool skip_space();
  bool skip_comment();
  std::string_view taken(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kmux::simt::ptx
