#include "declarations.h"

#include <algorithm>
#include <array>

namespace kmux {
namespace {

constexpr std::array<std::string_view, 15> kAttributes = {
    "__align__",         "alignas",  "__attribute__", "__declspec", "__builtin_align__",
    "__launch_bounds__", "noexcept", "decltype",      "requires",   "throw",
    "__cluster_dims__",  "explicit", "__maxnreg__",   "asm",        "__block_size__"};
constexpr std::array<std::string_view, 4> kTypeWords = {"class", "struct", "union", "enum"};

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

class DeclarationReader {
 public:
  DeclarationReader(std::span<const SourceToken> tokens, IsStatement is_statement, void* context)
      : tokens_(tokens), is_statement_(is_statement), context_(context) {}

  std::optional<std::vector<Declaration>> all() {
    while (at_ < tokens_.size() && !is_broken_) read_one();
    if (is_broken_ || scopes_ != 0) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool ended() const { return at_ >= tokens_.size(); }
  bool is(std::string_view text, std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].text == text;
  }
  bool is_directive(std::string_view name) const {
    return tokens_[at_].is_directive() && directive_parts(tokens_[at_].text).name == name;
  }
  bool is_other_branch() const {
    return tokens_[at_].is_directive() && directive_parts(tokens_[at_].text).name.starts_with("el");
  }

  void read_one() {
    if (tokens_[at_].is_directive() || is(";")) {
      ++at_;
    } else if (is("}")) {
      is_broken_ = scopes_ == 0;
      scopes_ -= scopes_ == 0 ? 0 : 1;
      ++at_;
    } else if (!enter_scope() && !skip_access()) {
      read_declaration();
    }
  }

  // "namespace a::b {", "inline namespace {", "extern "C" {".
  bool enter_scope() {
    std::size_t ahead = is("inline") ? 1 : 0;
    if (is("extern") && at_ + 2 < tokens_.size() && tokens_[at_ + 1].kind == SourceToken::Kind::kValue && is("{", 2)) {
      at_ += 3;
      ++scopes_;
      return true;
    }
    if (!is("namespace", ahead)) return false;
    while (at_ + ahead < tokens_.size() && !is("{", ahead) && !is("=", ahead) && !is(";", ahead)) ++ahead;
    if (!is("{", ahead)) return false;
    at_ += ahead + 1;
    ++scopes_;
    return true;
  }

  // "public:" in a class.
  bool skip_access() {
    constexpr std::array<std::string_view, 3> kAccess = {"public", "private", "protected"};
    if (!is_among(kAccess, tokens_[at_].text) || !is(":", 1)) return false;
    at_ += 2;
    return true;
  }

  void read_declaration();
  bool step();
  void skip_directive();
  bool opens_angles() const;
  void pass_token();
  void open_brace();
  bool open_parenthesis();
  void add_names();
  void add_declarators(std::size_t from);
  void add_enumerators();
  void name_type();
  void skip_templates();
  void skip_branch();
  void skip_group();
  void skip_angles();
  bool is_macro_statement() const;

  std::span<const SourceToken> tokens_;
  IsStatement is_statement_;
  void* context_;
  std::size_t at_ = 0;
  std::size_t scopes_ = 0;
  bool is_broken_ = false;
  std::vector<Declaration> found_;

  // State of the declaration being parsed.
  Declaration now_;
  std::string_view before_angles_;  // "f" of "f<int>"
  std::size_t type_word_ = 0;  // index after "struct"; 0: none
  bool has_value_ = false;     // after a "="
  bool has_parameters_ = false;
  bool has_initializers_ = false;  // after the ":" of a constructor
};

// Skips the rest of an `#if` whose first branch has been parsed, up to its `#endif`.
void DeclarationReader::skip_branch() {
  for (std::size_t depth = 1; !ended() && depth > 0; ++at_) {
    if (!tokens_[at_].is_directive()) continue;
    const std::string_view name = directive_parts(tokens_[at_].text).name;
    if (name.starts_with("if")) ++depth;
    if (name == "endif") --depth;
    if (depth == 0) return;
  }
}

// Skips a bracketed group, from its opening bracket.
void DeclarationReader::skip_group() {
  std::size_t depth = 0;
  for (; !ended(); ++at_) {
    if (is_other_branch()) skip_branch();
    if (ended()) break;
    const SourceToken& token = tokens_[at_];
    if (token.kind != SourceToken::Kind::kSign || token.text.size() != 1) continue;
    const char c = token.text.front();
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      ++at_;
      return;
    }
  }
  is_broken_ = true;
}

// Skips template arguments, from their "<". A "<" without a matching ">" is skipped alone.
void DeclarationReader::skip_angles() {
  const std::size_t begin = at_;
  std::size_t depth = 0;
  while (!ended() && !is(";") && !is("{") && !is("}")) {
    if (is("(") || is("[")) {
      skip_group();
      continue;
    }
    if (is("<")) ++depth;
    if (is(">") && --depth == 0) {
      ++at_;
      return;
    }
    ++at_;
  }
  at_ = begin + 1;
}

void DeclarationReader::skip_templates() {
  while (is("template")) {
    ++at_;
    if (is("<")) skip_angles();
  }
}

// A "(" after a word that is not an attribute opens a function's parameters or a macro's arguments.
bool DeclarationReader::open_parenthesis() {
  const std::string_view before = at_ > now_.first ? tokens_[at_ - 1].text : "";
  const bool is_behind_word = !before.empty() && (tokens_[at_ - 1].is_word() || now_.is_operator || before == ">");
  const bool is_parameters = is_behind_word && !has_value_ && !is_among(kAttributes, before);
  if (is_parameters) {
    has_parameters_ = true;
    if (tokens_[at_ - 1].is_word()) now_.names.push_back(before);
    if (before == ">" && !before_angles_.empty()) now_.names.push_back(before_angles_);
  }
  skip_group();
  return is_parameters && is_macro_statement();
}

// Returns true if the tokens so far are "NAME(arguments)" of a macro that expands to a declaration.
bool DeclarationReader::is_macro_statement() const {
  const bool is_alone = tokens_[now_.first].is_word() && tokens_[now_.first + 1].is("(");
  return is_alone && is_statement_ != nullptr && is_statement_(context_, tokens_[now_.first].text);
}

// Parses the body of a function or type, or a braced value.
void DeclarationReader::open_brace() {
  const SourceToken& before = tokens_[at_ - 1];
  const bool ends_head = before.is(")") || before.is("const") || before.is("noexcept");
  const bool is_type = type_word_ != 0 && !(has_parameters_ && ends_head);
  const bool is_member = has_initializers_ && (before.is_word() || before.is(">"));
  if (has_value_ || is_member || (!is_type && !has_parameters_)) return skip_group();
  if (now_.body == 0) now_.body = at_;
  now_.kind = is_type ? Declaration::Kind::kType : Declaration::Kind::kFunction;
  skip_group();
}

// Skips a directive; at the second branch of an `#if`, skips to its end.
void DeclarationReader::skip_directive() {
  if (is_other_branch()) return skip_branch();
  ++at_;
}

// Returns true at a "<" that opens template arguments.
bool DeclarationReader::opens_angles() const {
  return is("<") && !has_value_ && tokens_[at_ - 1].is_word() && !now_.is_operator;
}

// Consumes a word or sign and updates the state of the declaration.
void DeclarationReader::pass_token() {
  const SourceToken& token = tokens_[at_];
  now_.is_operator = now_.is_operator || is("operator");
  has_value_ = has_value_ || (is("=") && !tokens_[at_ - 1].is("operator"));
  has_initializers_ = has_initializers_ || (is(":") && has_parameters_);
  if (type_word_ == 0 && token.is_word() && is_among(kTypeWords, token.text) && !has_value_) type_word_ = at_ + 1;
  ++at_;
}

// Consumes a part of the declaration; returns true at its end.
bool DeclarationReader::step() {
  if (tokens_[at_].is_directive()) return skip_directive(), false;
  if (is("(")) return open_parenthesis();
  if (is("[")) return skip_group(), false;
  if (is("{")) return open_brace(), now_.kind == Declaration::Kind::kFunction;
  if (is("}")) return true;  // of the scope: a declaration without a semicolon
  if (opens_angles()) {
    before_angles_ = tokens_[at_ - 1].text;
    return skip_angles(), false;
  }
  pass_token();
  return tokens_[at_ - 1].is(";");
}

void DeclarationReader::read_declaration() {
  now_ = {.first = at_};
  type_word_ = 0;
  before_angles_ = {};
  has_value_ = has_parameters_ = has_initializers_ = false;
  const bool is_scope_directive = is("using") && is("namespace", 1);
  const bool is_assertion = is("static_assert");
  skip_templates();
  if (ended()) return;
  while (!ended() && !is_broken_ && !step()) {
  }
  now_.last = at_;
  add_names();
  if (is_scope_directive) now_.kind = Declaration::Kind::kDirectiveOfScope;
  if (is_assertion) now_.kind = Declaration::Kind::kAssertion;
  if (now_.last > now_.first) found_.push_back(now_);
}

// Adds the name of a type: the last word before its bases or its body.
void DeclarationReader::name_type() {
  std::string_view name;
  for (std::size_t i = type_word_; i < now_.last; ++i) {
    const SourceToken& token = tokens_[i];
    const bool is_end = token.is("{") || token.is(":") || token.is("<") || token.is(";") || token.is("final");
    if (is_end) break;
    if (token.is_word() && !is_among(kTypeWords, token.text) && !is_among(kAttributes, token.text)) name = token.text;
  }
  if (!name.empty()) now_.names.push_back(name);
}

// Adds all words in the body of an enumeration.
void DeclarationReader::add_enumerators() {
  if (now_.body == 0 || !tokens_[type_word_ - 1].is("enum")) return;
  for (std::size_t i = now_.body; i < now_.last; ++i) {
    if (tokens_[i].is_word()) now_.names.push_back(tokens_[i].text);
  }
}

// Adds the declared names: words followed by the end of a declarator or by its value.
void DeclarationReader::add_declarators(std::size_t from) {
  constexpr std::array<std::string_view, 7> kBehind = {"=", ",", ";", "[", "{", "(", ")"};
  const std::size_t end = at_;
  bool is_value = false;
  for (at_ = from; at_ + 1 < end;) {
    if (is("<") && at_ > from && tokens_[at_ - 1].is_word() && !is_value) {
      skip_angles();
      continue;
    }
    if (is("[") || is("{") || (is("(") && is_value)) {
      skip_group();
      continue;
    }
    if (is(",")) is_value = false;
    if (is("=")) is_value = true;
    const bool is_name = tokens_[at_].is_word() && !is_value && is_among(kBehind, tokens_[at_ + 1].text);
    if (is_name) now_.names.push_back(tokens_[at_].text);
    ++at_;
  }
  at_ = end;
}

void DeclarationReader::add_names() {
  if (now_.kind == Declaration::Kind::kFunction) return;
  if (type_word_ != 0 && !has_parameters_) name_type();
  if (now_.kind == Declaration::Kind::kType) {
    add_enumerators();
    const std::size_t whole = at_;
    at_ = now_.body;
    if (now_.body != 0) skip_group();
    const std::size_t behind = at_;
    at_ = whole;
    return add_declarators(behind);
  }
  if (!has_parameters_ || tokens_[now_.first].is("typedef")) add_declarators(now_.first);
}

}  // namespace

std::optional<std::vector<Declaration>> read_declarations(std::span<const SourceToken> tokens, IsStatement is_statement,
                                                          void* context) {
  return DeclarationReader(tokens, is_statement, context).all();
}

}  // namespace kmux
