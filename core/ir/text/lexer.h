#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/text.h"

namespace kmux {

enum class TokenKind : std::uint8_t {
  kName,  // a letter or underscore first
  kWord,  // a digit first: 128b
  kInteger,
  kNumber,  // with a point or an exponent
  kString,  // between double quotes
  kKernel,  // behind "launch": kern<float, 4>
  kMark,  // operators and brackets
  kNewline,
  kIndent,
  kDedent,
  kEnd,
};

/// A piece of the text: bytes `begin` to `end`.
struct Token {
  TokenKind kind;
  std::size_t begin;
  std::size_t end;
};

/// "# ..." up to the end of its line.
struct TextComment {
  std::size_t begin;
  std::size_t end;
  bool is_alone;  // in its line
};

/// Something wrong with the text at bytes `begin` to `end`.
struct TextProblem {
  std::size_t begin;
  std::size_t end;
  std::string message;
};

inline constexpr std::size_t kMostProblems = 1000;  // that are kept, of a lexer and of a parser

/// What a text consists of. The last token is kEnd, and a kNewline is before each kDedent.
struct Lexed {
  std::vector<Token> tokens;
  std::vector<TextComment> comments;
  std::vector<TextProblem> problems;
};

/// Divides `text` into tokens. Lines in brackets have no kNewline, kIndent and kDedent.
Lexed lex(std::string_view text);

/// The text in the comments of a source, everything else blank, so that places are those of the source; empty if there is
/// none. What follows it is left out.
std::string embedded_text(std::string_view source);

/// The source with the lines of its text replaced by those of `text`.
std::string with_embedded_text(std::string_view source, std::string_view text);

/// The problems of `text` in the order of their places, as one error.
Error error_of(std::vector<TextProblem> problems, const ProgramText& text);

/// "12:7": line and column of a byte, from 1.
std::string line_and_column(std::string_view text, std::size_t at);

}  // namespace kmux
