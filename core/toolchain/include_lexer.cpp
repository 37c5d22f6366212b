#include "include_lexer.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/characters.h"

#include "assembler_text.h"

namespace kmux {
namespace {

bool is_encoding(std::string_view s) { return s.empty() || s == "L" || s == "u" || s == "U" || s == "u8"; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool is_word(char c) { return is_name_character(c) || c == '$' || static_cast<unsigned char>(c) >= 0x80; }

// Characters at which ordinary text is examined: all others are skipped at once.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (const char c : {'\n', '"', '\'', '/'}) stops[static_cast<unsigned char>(c)] = true;
  return stops;
}();

// Returns the begin of the line that the backslash at `at` joins, or npos if it joins none. Blanks may follow the
// backslash.
std::size_t joined_line(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_blank(text[end])) ++end;
  return end < text.size() && text[end] == '\n' ? end + 1 : std::string_view::npos;
}

// Returns `text` with lines joined. Joining raw strings, too, changes no include.
std::string join_lines(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  std::size_t begin = 0;
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    const std::size_t next = joined_line(text, at);
    if (next == std::string_view::npos) {
      ++at;
      continue;
    }
    joined.append(text, begin, at - begin);
    begin = at = next;
  }
  return joined.append(text, begin);
}

constexpr std::array<std::string_view, 3> kQuestions = {"__has_include", "__has_include_next", "__has_embed"};
constexpr std::array<std::string_view, 5> kOtherQuestions = {"defined", "__has_attribute", "__has_builtin",
                                                             "__has_feature", "__has_extension"};

// Returns true if `word` may be one of two words that "##" pastes to a query. A part shorter than "__has" or "embed" is
// detected by the other part.
bool is_piece_of_question(std::string_view word) {
  constexpr std::size_t kShortest = 5;
  return word.size() >= kShortest && std::ranges::any_of(kQuestions, [&](std::string_view question) {
           return question.starts_with(word) || question.ends_with(word);
         });
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : joined_(join_lines(text)), text_(joined_) {}

  IncludeList includes() {
    list_.complete = text_.find("\?\?=") == text_.npos && text_.find("\?\?/") == text_.npos &&
                     !names_a_file_to_assemble(text_) && !may_put_directives_together(text_);
    read();
    std::ranges::sort(list_.includes);
    const auto repeated = std::ranges::unique(list_.includes);
    list_.includes.erase(repeated.begin(), repeated.end());
    if (!pasted_.is_complete()) list_.complete = false;
    return std::move(list_);
  }

  std::vector<std::string> definitions(std::string_view macro) {
    wanted_ = macro;
    read();
    return std::move(definitions_);
  }

 private:
  char at(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool ended() const { return at_ >= text_.size(); }

  void read();
  void read_tokens();
  void stop_at_quote();
  bool skip_comment_here();
  void skip_blanks();
  void skip_literal(char quote);
  void skip_raw_string();
  std::string_view word();
  void directive();
  void define();
  void skip_definition(std::string_view name);
  void note_text(std::string_view content, bool is_raw);
  std::size_t next_token() const;
  void note_call(std::string_view name);
  bool has_parameter(std::string_view text) const;
  void condition();
  void question(std::string_view name);
  void header(Include::Reach reach);
  bool argument(std::string& value);
  bool delimited(Include::Form form, Include::Reach reach, char close);

  std::string joined_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true;  // only blanks and comments so far
  IncludeList list_;
  std::string_view defined_;  // the macro being defined
  std::string_view parameters_;  // "(a, b" of it
  bool in_line_ = false;  // the current construct ends with its line
  bool is_message_ = false;  // and is not compiled
  std::string_view last_word_;  // of that line
  PastedText pasted_;
  std::size_t literal_ = 0;  // begin of the literal, including its prefix
  std::string_view wanted_;
  std::vector<std::string> definitions_;
};

void Lexer::read() {
  while (!ended()) {
    const char c = text_[at_];
    if (c == '\n') {
      line_begins_ = true;
      ++at_;
    } else if (is_blank(c)) {
      ++at_;
    } else if (!skip_comment_here()) {
      read_tokens();
    }
  }
}

// Consumes a directive, a literal, or ordinary text up to a possible begin of one.
void Lexer::read_tokens() {
  const std::size_t sign = at() == '#' ? 1 : at() == '%' && at(1) == ':' ? 2 : 0;
  const bool is_directive = line_begins_ && sign != 0;
  line_begins_ = false;
  if (is_directive) {
    at_ += sign;
    return directive();
  }
  if (is_quote(at())) return stop_at_quote();
  ++at_;
  while (!ended() && !kStops[static_cast<unsigned char>(text_[at_])]) ++at_;
}

// A quote begins a literal or a raw string, or separates digits of a number; the word before it decides.
void Lexer::stop_at_quote() {
  std::size_t begin = at_;
  while (begin > 0 && is_word(text_[begin - 1])) --begin;
  const std::string_view before = text_.substr(begin, at_ - begin);
  const bool is_raw = before.ends_with('R') && is_encoding(before.substr(0, before.size() - 1));
  const bool is_prefix = is_encoding(before);
  literal_ = is_prefix || is_raw ? begin : at_;
  if (text_[at_] == '"' && is_raw) {
    skip_raw_string();
  } else if (text_[at_] == '"' || is_prefix) {
    skip_literal(text_[at_]);
  } else {
    ++at_;
  }
}

bool Lexer::skip_comment_here() {
  if (at() != '/' || (at(1) != '/' && at(1) != '*')) return false;
  const bool is_line = at(1) == '/';
  const std::size_t end = is_line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
  at_ = end == text_.npos ? text_.size() : end + (is_line ? 0 : 2);
  return true;
}

void Lexer::skip_blanks() {
  while (!ended() && (is_blank(at()) || skip_comment_here())) at_ += is_blank(at()) ? 1 : 0;
}

// An unterminated literal ends with its line.
void Lexer::skip_literal(char quote) {
  const std::size_t begin = at_ + 1;
  for (++at_; !ended() && at() != '\n'; ++at_) {
    if (at() == '\\') {
      ++at_;
    } else if (at() == quote) {
      ++at_;
      if (quote == '"') note_text(text_.substr(begin, at_ - 1 - begin), false);
      return;
    }
  }
}

// Records a literal that may reach an assembler, with adjacent ones: compilers join them.
void Lexer::note_text(std::string_view content, bool is_raw) {
  if (is_message_ || !wanted_.empty()) return;
  std::size_t before = literal_;
  while (before > 0 && (is_blank(text_[before - 1]) || text_[before - 1] == '\n')) --before;
  const std::size_t next = next_token();
  const char follows = next < text_.size() ? text_[next] : '\n';
  pasted_.add({.content = content,
               .is_raw = is_raw,
               .begin = literal_,
               .end = next,
               .follows_word = before > 0 && is_word(text_[before - 1]),
               .precedes_word = is_word(follows),
               .ends_definition = follows == '\n' && !defined_.empty()});
}

// Returns the begin of the token after the literal: directives may be between two literals.
std::size_t Lexer::next_token() const {
  bool line_begins = false;
  std::size_t place = at_;
  while (place < text_.size()) {
    const char c = text_[place];
    const std::string_view rest = text_.substr(place, 2);
    if (c == '\n' ? !in_line_ : is_blank(c)) {
      line_begins = line_begins || c == '\n';
      ++place;
    } else if (rest == "//" || (line_begins && (c == '#' || rest == "%:"))) {
      place = std::min(text_.find('\n', place), text_.size());
    } else if (rest == "/*") {
      const std::size_t end = text_.find("*/", place + 2);
      place = end == text_.npos ? text_.size() : end + 2;
    } else {
      break;
    }
  }
  return place;
}

void Lexer::skip_raw_string() {
  const std::size_t open = text_.find('(', at_);
  if (open == text_.npos || open - at_ > 17) return skip_literal('"');
  const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
  const std::size_t end = text_.find(close, open);
  const std::string_view content = text_.substr(open + 1, end == text_.npos ? end : end - open - 1);
  at_ = end == text_.npos ? text_.size() : end + close.size();
  note_text(content, true);
}

std::string_view Lexer::word() {
  const std::size_t begin = at_;
  while (!ended() && is_word(at())) ++at_;
  return text_.substr(begin, at_ - begin);
}

void Lexer::directive() {
  const PastedText around = pasted_;  // continues after the directive
  skip_blanks();
  const std::string_view name = word();
  if (name == "include" || name == "import" || name == "embed") {
    header(Include::Reach::kFirst);
  } else if (name == "include_next") {
    header(Include::Reach::kNext);
  } else if (name == "define") {
    define();
  } else if (!name.empty()) {
    is_message_ = name != "if" && !name.starts_with("elif");  // #error, #pragma
    condition();
    is_message_ = false;
  }
  pasted_.go_on(around);
}

void Lexer::define() {
  skip_blanks();
  const std::string_view name = word();
  if (wanted_.empty() || name != wanted_) return skip_definition(name);
  skip_blanks();
  std::string_view value = text_.substr(at_, text_.find('\n', at_) - at_);
  if (value.starts_with('<') || value.starts_with('"')) {
    const std::size_t close = value.find(value.front() == '<' ? '>' : '"', 1);
    value = value.substr(0, close == value.npos ? close : close + 1);
  } else {
    value = value.substr(0, std::min(value.find("/*"), value.find("//")));
  }
  while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
  definitions_.emplace_back(value);
}

// A `__has_include(x)` in a macro with a parameter x queries the argument of each use, all of which count.
void Lexer::skip_definition(std::string_view name) {
  if (at() == '(') parameters_ = text_.substr(at_, std::min(text_.find(')', at_), text_.size()) - at_);
  defined_ = name;
  condition();
  defined_ = parameters_ = {};
}

// Returns true if a parameter of the macro is among the words of `text`.
bool Lexer::has_parameter(std::string_view text) const {
  while (!parameters_.empty() && !text.empty()) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
    for (std::size_t at = parameters_.find(text.substr(0, end)); end != 0 && at != parameters_.npos;
         at = parameters_.find(text.substr(0, end), at + 1)) {
      const std::size_t behind = at + end;
      if (!is_word(parameters_[at - 1]) && (behind == parameters_.size() || !is_word(parameters_[behind]))) return true;
    }
    text.remove_prefix(std::max<std::size_t>(end, 1));
  }
  return false;
}

// Parses the rest of a line that may contain `__has_include`.
void Lexer::condition() {
  in_line_ = true;
  last_word_ = {};
  while (!ended() && at() != '\n') {
    if (is_quote(at())) {
      stop_at_quote();
    } else if (is_word(at())) {
      const std::string_view name = word();
      if (!is_message_) question(name);
      last_word_ = name;
    } else if (!skip_comment_here()) {
      ++at_;
    }
  }
  in_line_ = false;
}

// Parses the operand of `name` if that queries a header. `defined(__has_include)` does not; other names may be aliases
// of it.
void Lexer::question(std::string_view name) {
  const bool is_known = std::ranges::find(kQuestions, name) != kQuestions.end();
  skip_blanks();
  if (at() != '(') {
    const bool is_named = is_known && !defined_.empty() && last_word_ != "defined";
    const bool is_passed =
        defined_.empty() || at() == ',' || at() == ')';  // else it is pasted to a word that is not a query
    if (is_named || (!is_known && is_passed && is_piece_of_question(name))) list_.complete = false;
    return;
  }
  ++at_;
  skip_blanks();
  if (!is_known && at() != '<' && (at() != '"' || !defined_.empty())) return note_call(name);
  header(name == "__has_include_next" ? Include::Reach::kNext : Include::Reach::kFirst);
}

// Records "NAME(WORD)" in a condition: WORD is an include if NAME turns out to query its argument.
void Lexer::note_call(std::string_view name) {
  if (!defined_.empty() || std::ranges::find(kOtherQuestions, name) != kOtherQuestions.end()) return;
  const std::size_t begin = at_;  // WORD may be a call itself
  const std::string called(word());
  skip_blanks();
  const bool is_name = !called.empty() && (called.front() < '0' || called.front() > '9') && at() == ')';
  if (is_name) list_.includes.push_back({Include::Form::kMacro, Include::Reach::kNext, called, {}, std::string(name)});
  at_ = begin;
}

void Lexer::header(Include::Reach reach) {
  skip_blanks();
  if (at() == '"' && delimited(Include::Form::kQuoted, reach, '"')) return;
  if (at() == '<' && delimited(Include::Form::kAngled, reach, '>')) return;
  Include include{Include::Form::kMacro, reach, std::string(word())};
  skip_blanks();
  const bool readable = at() != '(' || argument(include.argument);
  const bool alone = ended() || at() == '\n' || at() == ')' || at() == ',';
  if (include.name.empty() || !readable || !alone) {
    list_.complete = false;
  } else if (has_parameter(include.name)) {
    list_.askers.emplace_back(defined_);
  } else {
    list_.includes.push_back(std::move(include));
  }
}

// Parses "(vector)": one argument without brackets in it.
bool Lexer::argument(std::string& value) {
  ++at_;
  skip_blanks();
  const std::size_t end = text_.find_first_of("(),\n", at_);
  if (end == text_.npos || text_[end] != ')') return false;
  value = text_.substr(at_, end - at_);
  while (!value.empty() && is_blank(value.back())) value.pop_back();
  at_ = end + 1;
  skip_blanks();
  return !value.empty();
}

bool Lexer::delimited(Include::Form form, Include::Reach reach, char close) {
  const std::size_t line = std::min(text_.find('\n', at_), text_.size());
  const std::size_t end = text_.find(close, at_ + 1);
  if (end >= line) return false;
  const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
  // "<folder/NAME>", but not "APPLY(<) APPLY(>)".
  if (name.find_first_of("(),") == name.npos && has_parameter(name)) list_.complete = false;
  list_.includes.push_back({form, reach, std::string(name)});
  at_ = end + 1;
  return true;
}

}  // namespace

IncludeList lex_includes(std::string_view text) { return Lexer(text).includes(); }

std::vector<std::string> definitions_of(std::string_view macro, std::string_view text) {
  return Lexer(text).definitions(macro);
}

}  // namespace kmux
