#include "kmux/plugin/kernel_names.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>

namespace kmux {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// Blanks in a name expression are the user's choice.
std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Without result and parameters. Only templates have their result in the name.
std::string qualified_name(std::string_view declaration) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < declaration.size(); ++i) {
    const char c = declaration[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth == 0 && c == ' ') begin = i + 1;
    if (depth == 0 && c == '(') return std::string(declaration.substr(begin, i - begin));
  }
  return std::string(declaration.substr(begin));
}

// The bracket that the last character of `text` closes.
std::size_t matching_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return text.npos;
}

// The pieces of `text` between its commas, those within brackets aside.
std::vector<std::string> split_types(std::string_view text) {
  std::vector<std::string> types;
  int depth = 0;
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(2, text.size()))) {  // ", "
    std::size_t end = 0;
    for (; end < text.size() && (depth > 0 || text[end] != ','); ++end) {
      if (std::string_view("(<[{").find(text[end]) != std::string_view::npos) ++depth;
      if (std::string_view(")>]}").find(text[end]) != std::string_view::npos) --depth;
    }
    types.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return types;
}

}  // namespace

// Only names: __cxa_demangle takes "f" for a type, too.
std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
  return text == nullptr ? symbol : text.get();
}

std::string function_name(const std::string& symbol) {
  const std::string text = demangled(symbol);
  return text == symbol ? symbol : qualified_name(text);
}

std::optional<std::vector<std::string>> parameter_types(const std::string& symbol) {
  const std::string text = demangled(symbol);
  if (text == symbol || !text.ends_with(')')) return std::nullopt;
  const std::size_t begin = matching_bracket(text);
  if (begin == text.npos) return std::nullopt;
  return split_types(std::string_view(text).substr(begin + 1, text.size() - begin - 2));
}

std::vector<std::size_t> find_symbols(const std::string& kernel, const std::vector<std::string>& symbols) {
  if (const auto same = std::ranges::find(symbols, kernel); same != symbols.end()) {
    return {static_cast<std::size_t>(same - symbols.begin())};
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (without_blanks(function_name(symbols[i])) == without_blanks(kernel)) places.push_back(i);
  }
  return places;
}

}  // namespace kmux
