#include <algorithm>
#include <array>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/quoting.h"

#include "reader.h"

namespace kmux {
namespace {

constexpr std::size_t kMaxIndents = 100;  // a program has at most 16 levels of steps

// Longer marks must come first.
constexpr std::array kMarks =
    std::to_array<std::string_view>({"<<<", ">>>", "<<", ">>", "<=", ">=", "==", "!=", "..", "(", ")", "[", "]", "{",
                                     "}",   ",",   ":",  "=",  "+",  "-",  "*",  "/",  "%",  "&", "|", "^", "<", ">"});

// The words that begin a line of a program. They end unclosed brackets.
constexpr std::array kFirstWords = std::to_array<std::string_view>(
    {"kernel", "program", "variant", "let", "assert", "workspace", "launch", "fill", "if", "else", "for"});

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_decimal(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), at_(byte_order_mark_size(text)) {}

  Lexed run() && {
    while (at_ < text_.size()) line();
    if (depth_ > 0) end_line();
    while (indents_.size() > 1) pop_indent();
    add(TokenKind::kEnd, text_.size(), text_.size());
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool ends() const { return at_ == text_.size() || text_[at_] == '\n'; }
  void add(TokenKind kind, std::size_t begin, std::size_t end) { out_.tokens.push_back({kind, begin, end}); }
  void problem(std::size_t begin, std::size_t end, std::string message) {
    if (out_.problems.size() < kMaxProblems) out_.problems.push_back({begin, end, std::move(message)});
  }

  template <class Predicate>
  void skip_while(const Predicate& holds) {
    while (at_ < text_.size() && holds(text_[at_])) ++at_;
  }

  void line() {
    const std::size_t begin = at_;
    skip_while([](char c) { return c == ' '; });
    const std::size_t width = at_ - begin;
    skip_while([](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (ends() || peek() == '#') return finish_line(true);
    if (at_ - begin > width) problem(begin + width, at_, "the line begins with a tab. Indent with spaces.");
    if (depth_ > 0 && begins_statement()) end_line();
    if (depth_ == 0) indent(width);
    const std::size_t first = at_;
    while (!ends() && peek() != '#') token(at_ == first && depth_ == 0);
    finish_line(false);
    if (depth_ == 0) end_line();
  }

  // Reads the comment and the end of the line.
  void finish_line(bool is_alone) {
    const std::size_t begin = at_;
    skip_while([](char c) { return c != '\n'; });
    if (at_ > begin) {
      std::size_t end = at_;
      while (text_[end - 1] == ' ' || text_[end - 1] == '\r') --end;
      out_.comments.push_back({begin, end, is_alone});
    }
    if (at_ < text_.size()) ++at_;
  }

  void end_line() {
    depth_ = 0;
    const std::size_t end = out_.tokens.empty() ? 0 : out_.tokens.back().end;
    add(TokenKind::kNewline, end, end);
  }

  // Returns true for the beginning of a statement, "let x"; false for a parameter "let: f32" or an argument
  // "let offset 4".
  bool begins_statement() const {
    std::size_t end = at_;
    while (end < text_.size() && continues_name(text_[end])) ++end;
    if (std::ranges::find(kFirstWords, text_.substr(at_, end - at_)) == kFirstWords.end()) return false;
    while (end < text_.size() && text_[end] == ' ') ++end;
    return end < text_.size() && starts_name(text_[end]) && !text_.substr(end).starts_with("offset ");
  }

  void pop_indent() {
    indents_.pop_back();
    add(TokenKind::kDedent, at_, at_);
  }

  void indent(std::size_t width) {
    if (indents_.empty()) indents_.push_back(width);
    if (width > indents_.back() && indents_.size() < kMaxIndents) {
      indents_.push_back(width);
      add(TokenKind::kIndent, at_, at_);
    }
    while (indents_.size() > 1 && width <= indents_[indents_.size() - 2]) pop_indent();
    if (width == indents_.back()) return;
    problem(at_ - width, at_,
            "the line is indented by " + std::to_string(width) + " columns (the block around it by " +
                std::to_string(indents_.back()) + "). Indent it as the other lines of its block.");
  }

  void token(bool is_first) {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\r') return void(++at_);
    if (starts_name(c)) return name(is_first);
    if (is_decimal(c)) return number();
    if (c == '"') return string();
    mark();
  }

  void name(bool is_first) {
    const std::size_t begin = at_;
    skip_while(continues_name);
    add(TokenKind::kName, begin, at_);
    if (is_first && text_.substr(begin, at_ - begin) == "launch") kernel();
  }

  // Reads a name with template arguments, which end with their closing bracket.
  void kernel() {
    skip_while([](char c) { return c == ' '; });
    const std::size_t begin = at_;
    int angles = 0;
    for (; !ends(); ++at_) {
      const char c = peek();
      if (angles == 0 && (c == '<' ? peek(1) == '<' : !continues_name(c) && c != ':')) break;
      if (angles > 0 && c == '"') break;
      if (c == '<') ++angles;
      if (c == '>') --angles;
    }
    if (at_ > begin) add(TokenKind::kKernel, begin, at_);
  }

  void number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::kInteger;
    skip_while(is_decimal);
    if (peek() == '.' && is_decimal(peek(1))) {
      kind = TokenKind::kNumber;
      ++at_;
      skip_while(is_decimal);
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_decimal(peek(1 + sign))) {
      kind = TokenKind::kNumber;
      at_ += 1 + sign;
      skip_while(is_decimal);
    }
    if (continues_name(peek())) kind = TokenKind::kWord;
    skip_while(continues_name);
    add(kind, begin, at_);
  }

  void string() {
    const std::size_t begin = at_++;
    while (!ends() && peek() != '"') at_ += peek() == '\\' && at_ + 1 < text_.size() && peek(1) != '\n' ? 2 : 1;
    if (peek() == '"' && !ends()) {
      ++at_;
    } else {
      problem(begin, at_, "the text is not closed. End it with '\"' in the same line.");
    }
    add(TokenKind::kString, begin, at_);
  }

  void mark() {
    const std::string_view rest = text_.substr(at_);
    const auto found = std::ranges::find_if(kMarks, [&](std::string_view mark) { return rest.starts_with(mark); });
    if (found == kMarks.end()) {
      const std::size_t begin = at_++;
      skip_while([](char c) { return (c & 0x80) != 0; });  // the rest of a multi-byte character
      problem(begin, at_, in_double_quotes(text_.substr(begin, at_ - begin)) + " cannot stand here. Remove it.");
      return;
    }
    if (*found == "(" || *found == "[" || *found == "{" || *found == "<<<") ++depth_;
    if (depth_ > 0 && (*found == ")" || *found == "]" || *found == "}" || *found == ">>>")) --depth_;
    add(TokenKind::kMark, at_, at_ + found->size());
    at_ += found->size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;  // of brackets
  std::vector<std::size_t> indents_ = {};  // of the enclosing blocks
  Lexed out_ = {};
};

}  // namespace

Lexed lex(std::string_view text) { return Lexer(text).run(); }

}  // namespace kmux
