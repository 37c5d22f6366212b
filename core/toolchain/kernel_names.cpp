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
