#include <algorithm>
#include <array>
#include <cstdint>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/validate.h"

#include "validation.h"

namespace kmux {

namespace {

constexpr std::size_t kMaxName = 255;         // accepted by every compiler and file system
constexpr std::size_t kMaxKernelName = 4096;  // instantiations are long
constexpr std::size_t kMaxPath = 4096;

// C and C++ keywords, which generated code cannot use as names.
constexpr std::array kKeywords = std::to_array<std::string_view>({"alignas",
                                                                  "alignof",
                                                                  "and",
                                                                  "and_eq",
                                                                  "asm",
                                                                  "auto",
                                                                  "bitand",
                                                                  "bitor",
                                                                  "bool",
                                                                  "break",
                                                                  "case",
                                                                  "catch",
                                                                  "char",
                                                                  "char16_t",
                                                                  "char32_t",
                                                                  "char8_t",
                                                                  "class",
                                                                  "co_await",
                                                                  "co_return",
                                                                  "co_yield",
                                                                  "compl",
                                                                  "concept",
                                                                  "const",
                                                                  "const_cast",
                                                                  "consteval",
                                                                  "constexpr",
                                                                  "constinit",
                                                                  "continue",
                                                                  "decltype",
                                                                  "default",
                                                                  "delete",
                                                                  "do",
                                                                  "double",
                                                                  "dynamic_cast",
                                                                  "else",
                                                                  "enum",
                                                                  "explicit",
                                                                  "export",
                                                                  "extern",
                                                                  "false",
                                                                  "float",
                                                                  "for",
                                                                  "friend",
                                                                  "goto",
                                                                  "if",
                                                                  "inline",
                                                                  "int",
                                                                  "long",
                                                                  "mutable",
                                                                  "namespace",
                                                                  "new",
                                                                  "noexcept",
                                                                  "not",
                                                                  "not_eq",
                                                                  "nullptr",
                                                                  "operator",
                                                                  "or",
                                                                  "or_eq",
                                                                  "private",
                                                                  "protected",
                                                                  "public",
                                                                  "register",
                                                                  "reinterpret_cast",
                                                                  "requires",
                                                                  "restrict",
                                                                  "return",
                                                                  "short",
                                                                  "signed",
                                                                  "sizeof",
                                                                  "static",
                                                                  "static_assert",
                                                                  "static_cast",
                                                                  "struct",
                                                                  "switch",
                                                                  "template",
                                                                  "this",
                                                                  "thread_local",
                                                                  "throw",
                                                                  "true",
                                                                  "try",
                                                                  "typedef",
                                                                  "typeid",
                                                                  "typename",
                                                                  "typeof",
                                                                  "union",
                                                                  "unsigned",
                                                                  "using",
                                                                  "virtual",
                                                                  "void",
                                                                  "volatile",
                                                                  "wchar_t",
                                                                  "while",
                                                                  "xor",
                                                                  "xor_eq"});
static_assert(std::ranges::is_sorted(kKeywords));

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Returns true if `name` has letters, digits and underscores only and does not begin with a digit.
bool is_plain_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_name_character);
}

// Recognises "ns::kern<float, 4, const T*>(float*, int)": no accepted text can end an expression or begin another.
class NameExpression {
 public:
  explicit NameExpression(std::string_view text) : rest_(text) {}
  bool matches() { return name(0) && rest_.empty(); }
  bool matches_overload() { return name(0) && parameters() && rest_.empty(); }

 private:
  static constexpr int kMaxDepth = 16;

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void blanks() {
    while (take(" ")) continue;
  }

  bool starts_word() const { return !rest_.empty() && is_letter(rest_.front()); }

  std::string_view word() {
    const auto end = std::ranges::find_if_not(rest_, is_name_character);
    const std::string_view text = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(text.size());
    return text;
  }

  bool name(int depth) {
    take("::");
    do {
      if (!starts_word()) return false;
      word();
      if (take("<") && !arguments(depth + 1)) return false;
    } while (take("::"));
    return true;
  }

  bool arguments(int depth) {
    if (depth > kMaxDepth) return false;
    blanks();
    if (take(">")) return true;  // all have defaults
    do {
      if (!argument(depth)) return false;
    } while (take(","));
    return take(">");
  }

  // Parses a number or a type.
  bool argument(int depth) {
    blanks();
    const bool negative = take("-");
    if (!rest_.empty() && is_digit(rest_.front())) return word(), blanks(), true;
    return !negative && type(depth);
  }

  // Parses words such as "unsigned int" or "const T", then stars and ampersands, each followed by optional qualifiers.
  bool type(int depth) {
    do {
      if (!name(depth)) return false;
      blanks();
    } while (starts_word());
    while (take("*") || take("&")) {
      blanks();
      while (starts_word()) {
        if (!is_qualifier(word())) return false;
        blanks();
      }
    }
    return true;
  }

  static bool is_qualifier(std::string_view word) {
    return word == "const" || word == "volatile" || word == "__restrict__" || word == "__restrict";
  }

  // Parses "(float*, int)", or "()".
  bool parameters() {
    blanks();
    if (!take("(")) return false;
    blanks();
    if (take(")")) return true;
    do {
      blanks();
      if (!type(1)) return false;
    } while (take(","));
    return take(")");
  }

  std::string_view rest_;
};

// Returns true if `kernel` is a name expression or identifier, not a mangled name, followed by parameter types. A
// mangled name already encodes its parameters.
bool is_overload(std::string_view kernel) {
  const std::string_view before = kernel.substr(0, kernel.find('('));
  const std::string_view name = before.substr(0, before.find_last_not_of(' ') + 1);
  return (!is_plain_name(name) || (is_identifier(name) && !name.starts_with("_Z"))) &&
         NameExpression(kernel).matches_overload();
}

// Returns why a path must not contain this component; empty if it may.
std::string_view refusal_of_part(std::string_view part) {
  const auto leaves = [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code == 0x7f || c == '\\' || c == ':';
  };
  if (part.empty() || part == "." || part == ".." || std::ranges::any_of(part, leaves))
    return "it may leave the program's folder";
  if (part.find('"') != part.npos) return "a double quote would end the literals that have the path";
  if (part.ends_with(".gch") || part.ends_with(".pch")) return "compilers would take it for a precompiled header";
  return "";
}

bool is_dialect_word(std::string_view name) {
  const auto is_taken = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= kMaxName && name.front() >= 'a' && std::ranges::all_of(name, is_taken);
}

}  // namespace

bool is_dialect(std::string_view name) {
  if (find_dialect(name) != nullptr) return true;
  std::vector<std::string> listed;
  for (const Dialect& dialect : all_dialects()) listed.emplace_back(dialect.name);
  return is_dialect_word(name) && !nearest(name, listed);
}

bool is_identifier(std::string_view name) {
  return is_plain_name(name) && name.size() <= kMaxName && !name.starts_with("kmux_") && !name.starts_with("KMUX_") &&
         !name.starts_with("__") && !std::ranges::binary_search(kKeywords, name);
}

bool is_variable_name(std::string_view name) {
  if (is_plain_name(name)) return is_identifier(name) || (name.starts_with("_Z") && name.size() <= kMaxKernelName);
  return name.size() <= kMaxKernelName && NameExpression(name).matches();
}

bool is_kernel_name(std::string_view name) {
  return is_variable_name(name) || (name.size() <= kMaxKernelName && is_overload(name));
}

std::string_view refusal_of_path(std::string_view path) {
  if (path.size() > kMaxPath) return "it is too long";
  if (!is_text(path)) return "it is not UTF-8";
  if (path.starts_with("kmux-")) return "names that begin with \"kmux-\" are kmux's own";
  for (std::size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/')) {
    if (const auto refusal = refusal_of_part(path.substr(0, end)); !refusal.empty()) return refusal;
    path.remove_prefix(end + 1);
  }
  return refusal_of_part(path);
}

bool is_file_path(std::string_view path) { return refusal_of_path(path).empty(); }

bool is_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = first_character(text).size;
    if (size == 0 || text.front() == '\0') return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace kmux
