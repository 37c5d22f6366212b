#include "source_tokens.h"

#include <algorithm>
#include <array>
#include <string>

namespace kmux {
namespace {

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f' || c == '\\'; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<SourceToken> all() {
    while (at_ < text_.size()) next();
    return std::move(tokens_);
  }

 private:
  char ahead(std::size_t count = 0) const { return at_ + count < text_.size() ? text_[at_ + count] : '\0'; }

  void add(SourceToken::Kind kind, std::size_t end) {
    end = std::min(end, text_.size());
    tokens_.push_back({kind, text_.substr(at_, end - at_)});
    at_ = end;
    line_begins_ = false;
  }

  void next() {
    const char c = ahead();
    if (is_space(c)) {
      line_begins_ = line_begins_ || c == '\n';
      ++at_;
    } else if (c == '/' && (ahead(1) == '/' || ahead(1) == '*')) {
      at_ = end_of_comment(at_);
    } else if (c == '#' && line_begins_) {
      add(SourceToken::Kind::kDirective, end_of_directive());
    } else if (c == '"' || c == '\'') {
      add(SourceToken::Kind::kValue, end_of_literal(at_));
    } else if (begins_word(c)) {
      add_word();
    } else if (is_digit(c)) {
      add(SourceToken::Kind::kValue, end_of_number());
    } else {
      add(SourceToken::Kind::kSign, at_ + sign_size());
    }
  }

  std::size_t end_of_comment(std::size_t at) const {
    if (text_[at + 1] == '/') return std::min(text_.find('\n', at), text_.size());
    const std::size_t end = text_.find("*/", at + 2);
    return end == text_.npos ? text_.size() : end + 2;
  }

  // Returns the end of the line, including lines joined by backslashes.
  std::size_t end_of_directive() const {
    for (std::size_t at = at_; at < text_.size();) {
      const char c = text_[at];
      if (c == '\n') return at;
      const bool is_comment = c == '/' && at + 1 < text_.size() && (text_[at + 1] == '/' || text_[at + 1] == '*');
      at = is_comment ? end_of_comment(at) : c == '\\' ? after_joint(at) : at + 1;
    }
    return text_.size();
  }

  std::size_t after_joint(std::size_t at) const {
    ++at;
    if (at < text_.size() && text_[at] == '\r') ++at;
    return std::min(at + 1, text_.size());
  }

  // An unterminated literal ends with its line.
  std::size_t end_of_literal(std::size_t at) const {
    const char quote = text_[at];
    for (++at; at < text_.size() && text_[at] != '\n'; ++at) {
      if (text_[at] == quote) return at + 1;
      if (text_[at] == '\\') ++at;
    }
    return at;
  }

  std::size_t end_of_raw(std::size_t quote) const {
    const std::size_t open = text_.find('(', quote);
    if (open == text_.npos) return end_of_literal(quote);
    const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    return end == text_.npos ? text_.size() : end + close.size();
  }

  std::size_t end_of_number() const {
    std::size_t at = at_;
    while (at < text_.size()) {
      const char c = text_[at];
      const bool is_joint = c == '\'' && at + 1 < text_.size() && begins_number_part(text_[at + 1]);
      const bool is_exponent = (c == '+' || c == '-') && at > at_ && is_exponent_sign(text_[at - 1]);
      if (!begins_number_part(c) && c != '.' && !is_joint && !is_exponent) break;
      ++at;
    }
    return at;
  }
  static bool begins_number_part(char c) { return begins_word(c) || is_digit(c); }
  static bool is_exponent_sign(char c) { return c == 'e' || c == 'E' || c == 'p' || c == 'P'; }

  // Adds a word, or the literal that it is a prefix of.
  void add_word() {
    std::size_t end = at_;
    while (end < text_.size() && begins_number_part(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const char c = end < text_.size() ? text_[end] : '\0';
    const bool is_raw = word.ends_with('R') && word.size() <= 3 && c == '"';
    if (is_raw) return add(SourceToken::Kind::kValue, end_of_raw(end));
    const bool is_prefix = word == "L" || word == "u" || word == "U" || word == "u8";
    if (is_prefix && (c == '"' || c == '\'')) return add(SourceToken::Kind::kValue, end_of_literal(end));
    add(SourceToken::Kind::kWord, end);
  }

  std::size_t sign_size() const {
    constexpr std::array<std::string_view, 8> kSigns = {"<<<", "<<", "::", "->", "<=", ">=", "==", "&&"};
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view sign : kSigns) {
      if (rest.starts_with(sign)) return sign.size();
    }
    return 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<SourceToken> tokens_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

namespace {

// Returns the nesting of open directives in a skipped branch after directive `name`, from `depth`; 0 at the end of the
// branch.
std::size_t depth_behind(std::size_t depth, std::string_view name) {
  const bool ends_one = name == "endif" || (depth == 1 && name.starts_with("el"));
  if (ends_one) return depth - 1;
  return name.starts_with("if") ? depth + 1 : depth;
}

// Removes the tokens between "#if 0" and the end of that branch, which may be any text.
std::vector<SourceToken> without_disabled(std::vector<SourceToken> tokens) {
  std::size_t kept = 0;
  std::size_t depth = 0;  // of directives within a skipped branch
  for (const SourceToken& token : tokens) {
    const DirectiveParts parts = token.is_directive() ? directive_parts(token.text) : DirectiveParts{};
    if (depth > 0) depth = depth_behind(depth, parts.name);
    if (depth > 0) continue;
    tokens[kept++] = token;
    if (parts.name == "if" && parts.rest == "0") depth = 1;
  }
  tokens.resize(kept);
  return tokens;
}

}  // namespace

std::vector<SourceToken> tokens_of(std::string_view text) { return without_disabled(Tokenizer(text).all()); }

DirectiveParts directive_parts(std::string_view directive) {
  directive = trimmed(directive.substr(std::min<std::size_t>(1, directive.size())));
  std::size_t end = 0;
  while (end < directive.size() && begins_word(directive[end])) ++end;
  return {directive.substr(0, end), trimmed(directive.substr(end))};
}

}  // namespace kmux
