#include "simt/ptx/lexer.h"

#include <algorithm>
#include <utility>

#include "simt/analysis/names.h"

namespace kmux::simt::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$'; }

// Returns the end of the digits at `begin`.
std::size_t end_of_digits(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_digit(text[begin])) ++begin;
  return begin;
}

// Appends what "${...}" at `begin` stands for. Returns its end.
Result<std::size_t> append_braced(std::string_view text, std::size_t begin, std::string& plain) {
  const std::size_t end = text.find('}', begin);
  const std::string_view inside = text.substr(begin + 2, std::min(end, text.size()) - begin - 2);
  if (inside == ":uid") {
    plain += '0';  // labels are local to a text
  } else if (end_of_digits(inside, 0) == inside.size() && !inside.empty()) {
    (plain += kArgumentSign) += inside;
  } else {
    return make_error(ErrorCode::kUnsupported, "operand \"" + std::string(inside) + "\" has a modifier");
  }
  return end == std::string_view::npos ? text.size() : end + 1;
}

// Appends what "$" at `begin` stands for. Returns its end.
Result<std::size_t> append_dollar(std::string_view text, std::size_t begin, std::string& plain) {
  constexpr std::pair<char, char> kSigns[] = {{'$', '$'}, {'(', '{'}, {'|', '|'}, {')', '}'}};
  const char next = begin + 1 < text.size() ? text[begin + 1] : '\0';
  for (const auto& [sign, written] : kSigns) {
    if (next != sign) continue;
    plain += written;
    return begin + 2;
  }
  if (next == '{') return append_braced(text, begin, plain);
  const std::size_t end = end_of_digits(text, begin + 1);
  if (end == begin + 1) return make_error(ErrorCode::kUnsupported, "\"$\" is followed by no operand");
  (plain += kArgumentSign) += text.substr(begin + 1, end - begin - 1);
  return end;
}

}  // namespace

Result<std::string> plain_text(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '$') {
      KMUX_ASSIGN(at, append_dollar(text, at, plain));
    } else {
      plain += text[at] == kArgumentSign ? ' ' : text[at] == kRegisterSign ? '%' : text[at];
      ++at;
    }
  }
  return plain;
}

// Returns true if it skipped a comment.
bool Lexer::skip_comment() {
  const std::string_view rest = text_.substr(at_);
  const bool is_line = rest.starts_with("//");
  if (!is_line && !rest.starts_with("/*")) return false;
  const std::size_t end = is_line ? rest.find('\n') : rest.find("*/", 2);
  at_ = end == std::string_view::npos ? text_.size() : at_ + end + (is_line ? 0 : 2);
  return true;
}

// Returns true if it skipped the end of a line.
bool Lexer::skip_space() {
  bool begins_line = at_ == 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') begins_line = true;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
      ++at_;
    } else if (!skip_comment()) {
      break;
    }
  }
  return begins_line;
}

Token Lexer::next() {
  Token token{.begins_line = skip_space()};
  const std::size_t begin = at_;
  if (at_ == text_.size()) return token;
  const char first = text_[at_++];
  token.kind = Token::Kind::kSign;
  if (first == kArgumentSign) {
    token.kind = Token::Kind::kArgument;
    at_ = end_of_digits(text_, at_);
    token.text = text_.substr(begin + 1, at_ - begin - 1);
    return token;
  }
  if (is_digit(first)) {
    token.kind = Token::Kind::kNumber;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
  } else if (is_word(first) || first == '%') {
    token.kind = Token::Kind::kWord;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  }
  token.text = taken(begin);
  return token;
}

std::string_view Lexer::mnemonic(std::string_view word) {
  const auto begin = static_cast<std::size_t>(word.data() - text_.data());
  while (at_ < text_.size()) {
    const bool is_double_colon = text_.substr(at_).starts_with("::");
    if (!is_double_colon && !is_word(text_[at_]) && text_[at_] != '.') break;
    at_ += is_double_colon ? 2 : 1;
  }
  return taken(begin);
}

}  // namespace kmux::simt::ptx
