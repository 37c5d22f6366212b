#include "cxx_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "kmux/plugin/characters.h"

namespace kmux {
namespace {

constexpr std::string_view kUnnamedSpace = "(anonymous namespace)::";

bool is_opening(char c) { return c == '(' || c == '<' || c == '[' || c == '{'; }
bool is_closing(char c) { return c == ')' || c == '>' || c == ']' || c == '}'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string without_unnamed_spaces(std::string_view text) {
  std::string rest(text);
  for (std::size_t at = rest.find(kUnnamedSpace); at != rest.npos; at = rest.find(kUnnamedSpace, at)) {
    rest.erase(at, kUnnamedSpace.size());
  }
  return rest;
}

std::string without_blanks_in(std::string_view text) {
  std::string rest(text);
  std::erase(rest, ' ');
  return rest;
}

// CUDA's and C's type names that symbols spell differently.
std::string_view without_alias(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kAliases = {{
      {"uint", "unsigned int"},
      {"uchar", "unsigned char"},
      {"ushort", "unsigned short"},
      {"ulong", "unsigned long"},
      {"int8_t", "signed char"},
      {"uint8_t", "unsigned char"},
      {"int16_t", "short"},
      {"uint16_t", "unsigned short"},
      {"int32_t", "int"},
      {"uint32_t", "unsigned int"},
      {"int64_t", "long"},
      {"uint64_t", "unsigned long"},
      {"size_t", "unsigned long"},
      {"ptrdiff_t", "long"},
      {"intptr_t", "long"},
      {"uintptr_t", "unsigned long"},
      {"half", "__half"},
      {"half2", "__half2"},
      {"nv_bfloat16", "__nv_bfloat16"},
      {"nv_bfloat162", "__nv_bfloat162"},
  }};
  const std::string_view plain = name.starts_with("std::") ? name.substr(5) : name;
  const auto found = std::ranges::find(kAliases, plain, &std::pair<std::string_view, std::string_view>::first);
  return found == kAliases.end() ? name : found->second;
}

// Collects the words of a type before its stars.
class BaseType {
 public:
  void add(std::string_view word) {
    if (word == "const") return static_cast<void>(is_const_ = true);
    if (word == "volatile") return static_cast<void>(is_volatile_ = true);
    if (word == "struct" || word == "class" || word == "enum" || word == "typename") return;
    if (word == "unsigned") return static_cast<void>(is_unsigned_ = true);
    if (word == "signed") return static_cast<void>(is_signed_ = true);
    if (word == "long") return static_cast<void>(++longs_);
    if (word == "short") return static_cast<void>(is_short_ = true);
    if (word == "int") return static_cast<void>(is_int_ = true);
    name_.append(name_.empty() ? "" : " ").append(without_alias(word));
  }

  // On a parameter passed by value, "const" is not part of the type.
  std::string text(bool keeps_qualifiers) const {
    std::string all = plain();
    if (keeps_qualifiers && is_const_) all += " const";
    if (keeps_qualifiers && is_volatile_) all += " volatile";
    return all;
  }

 private:
  std::string plain() const {
    if (name_ == "char") return std::string(sign_of_char()) + name_;
    if (!name_.empty()) return longs_ > 0 ? "long " + name_ : name_;
    return std::string(is_unsigned_ ? "unsigned " : "") + integer();
  }

  // "char" and "signed char" are distinct types.
  const char* sign_of_char() const {
    if (is_unsigned_) return "unsigned ";
    return is_signed_ ? "signed " : "";
  }

  const char* integer() const {
    if (is_short_) return "short";
    if (longs_ == 0) return "int";
    return longs_ == 1 ? "long" : "long long";
  }

  std::string name_ = {};
  int longs_ = 0;
  bool is_const_ = false, is_volatile_ = false, is_unsigned_ = false, is_signed_ = false, is_short_ = false,
       is_int_ = false;
};

std::string canonical_type(std::string_view text, bool is_parameter);

// Returns "97" for "(char)97".
std::string_view without_cast(std::string_view text) {
  const std::size_t close = text.starts_with('(') ? closing_bracket(text, 0) : text.npos;
  return close == text.npos ? text : trimmed(text.substr(close + 1));
}

// Returns the number in "256u" or "0x10", or nothing for another text.
std::optional<std::uint64_t> unsigned_number(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, is_hex ? 16 : 10);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (failure != std::errc() || suffix.find_first_not_of("uUlLzZ") != suffix.npos) return std::nullopt;
  return number;
}

// Returns the canonical number of "256u", "-3ll", "0x10", "true" and "(char)97"; empty for other texts.
std::string canonical_number(std::string_view text) {
  if (text == "true" || text == "false") return text == "true" ? "1" : "0";
  text = without_cast(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::optional<std::uint64_t> number = unsigned_number(text);
  return number ? (is_negative ? "-" : "") + std::to_string(*number) : "";
}

std::string canonical_argument(std::string_view text) {
  std::string number = canonical_number(text);
  return number.empty() ? canonical_type(text, false) : number;
}

std::vector<std::string> canonical_arguments(std::string_view text) {
  std::vector<std::string> arguments = split_types(text);
  for (std::string& argument : arguments) argument = canonical_argument(argument);
  return arguments;
}

std::string joined_arguments(const std::vector<std::string>& arguments) {
  std::string text = "<";
  for (const std::string& one : arguments) text.append(text.size() > 1 ? "," : "").append(one);
  return text + ">";
}

// Parses "unsigned int const*" from left to right.
class TypeReader {
 public:
  TypeReader(std::string_view text, bool is_parameter) : text_(text), is_parameter_(is_parameter) {}

  // Returns nothing for other forms of types, such as functions and arrays.
  std::optional<std::string> read() {
    while (skip_blanks(), at_ < text_.size() && (is_name_character(text_[at_]) || text_[at_] == ':')) {
      const auto word = qualified_word();
      if (!word) return std::nullopt;
      base_.add(*word);
    }
    if (at_ == text_.size()) return base_.text(!is_parameter_);
    return pointers(base_.text(true));
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Skips "::"; returns false if something else follows.
  bool skip_colons() {
    const bool has_colons = text_.substr(at_).starts_with("::");
    if (has_colons) at_ += 2;
    return has_colons;
  }

  // Returns "<int,float>" if template arguments follow, else an empty text; nothing if they are unterminated.
  std::optional<std::string> template_arguments() {
    if (!text_.substr(at_).starts_with('<')) return "";
    const std::size_t close = closing_bracket(text_, at_);
    if (close == text_.npos) return std::nullopt;
    const std::string_view inner = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return joined_arguments(canonical_arguments(inner));
  }

  // Returns "ns::pair<int,float>", without a leading "::".
  std::optional<std::string> qualified_word() {
    std::string all;
    skip_colons();
    do {
      const std::string part = word();
      if (part.empty()) return std::nullopt;
      const std::optional<std::string> arguments = template_arguments();
      if (!arguments) return std::nullopt;
      all.append(all.empty() ? "" : "::").append(part).append(*arguments);
    } while (skip_colons());
    return all;
  }

  std::optional<std::string> pointers(std::string type) {
    std::string qualifiers;
    while (skip_blanks(), at_ < text_.size()) {
      if (text_[at_] == '*' || text_[at_] == '&') {
        type += std::exchange(qualifiers, "") + text_[at_++];
        continue;
      }
      const std::string qualifier = word();
      if (qualifier == "const" || qualifier == "volatile") {
        qualifiers += " " + qualifier;
      } else if (qualifier != "__restrict__" && qualifier != "__restrict" && qualifier != "restrict") {
        return std::nullopt;
      }
    }
    return is_parameter_ ? type : type + qualifiers;
  }

  std::string_view text_;
  bool is_parameter_;
  std::size_t at_ = 0;
  BaseType base_ = {};
};

std::string canonical_type(std::string_view text, bool is_parameter) {
  const auto type = TypeReader(text, is_parameter).read();
  return type ? *type : without_blanks_in(text);
}

// Returns the index of the next "::" outside of brackets, or the end.
std::size_t end_of_scope(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("::")) return at;
    if (is_opening(text[at])) at = std::min(closing_bracket(text, at), text.size());
  }
  return text.size();
}

// Removes the parameters, and the text after them, from the end of `declaration`; returns nothing if it has none.
std::optional<std::vector<std::string>> take_parameters(std::string_view& declaration) {
  const std::size_t open = parameters_of(declaration);
  if (open == declaration.npos) return std::nullopt;
  const std::size_t close = std::min(closing_bracket(declaration, open), declaration.size());
  std::vector<std::string> types = split_types(declaration.substr(open + 1, close - open - 1));
  if (types.size() == 1 && types.front() == "void") types.clear();
  for (std::string& type : types) type = canonical_type(type, true);
  declaration = declaration.substr(0, open);
  return types;
}

// Appends `part`, such as "scale<float>", to `name`; its previous last part becomes a scope.
void add_part(CxxName& name, std::string_view part) {
  if (!name.base.empty()) name.scopes.push_back(name.base + (name.arguments ? joined_arguments(*name.arguments) : ""));
  const std::size_t angle = std::min(part.find('<'), part.size());
  name.base = part.substr(0, angle);
  name.arguments.reset();
  if (angle < part.size()) name.arguments = canonical_arguments(part.substr(angle + 1, part.size() - angle - 2));
}

}  // namespace

std::size_t closing_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (is_opening(text[at])) ++depth;
    if (is_closing(text[at]) && --depth == 0) return at;
  }
  return text.npos;
}

std::vector<std::string> split_types(std::string_view text) {
  std::vector<std::string> types;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && is_opening(text[at])) at = std::min(closing_bracket(text, at), text.size());
    if (at < text.size() && text[at] != ',') continue;
    types.emplace_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  if (types.size() == 1 && types.front().empty()) types.clear();
  return types;
}

std::size_t parameters_of(std::string_view declaration) {
  for (std::size_t at = 0; at < declaration.size(); ++at) {
    if (declaration.substr(at).starts_with(kUnnamedSpace)) {
      at += kUnnamedSpace.size() - 1;
    } else if (declaration[at] == '(') {
      return at;
    } else if (is_opening(declaration[at])) {
      at = std::min(closing_bracket(declaration, at), declaration.size());
    }
  }
  return declaration.npos;
}

CxxName read_cxx_name(std::string_view declaration) {
  const std::string text = without_unnamed_spaces(declaration);
  std::string_view rest = text;
  CxxName name;
  if (rest.starts_with("void ")) rest.remove_prefix(5);
  name.parameters = take_parameters(rest);
  for (rest = trimmed(rest); !rest.empty();) {
    const std::size_t end = end_of_scope(rest);
    const std::string_view part = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
    if (!part.empty()) add_part(name, part);
  }
  return name;
}

}  // namespace kmux
