#include "kmux/plugin/kernel_names.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <iterator>
#include <memory>

#include "kmux/plugin/word_list.h"

#include "cxx_name.h"

namespace kmux {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// Returns the name without result and parameters. Only templates have their result in the name.
std::string qualified_name(std::string_view declaration) {
  const std::size_t end = std::min(parameters_of(declaration), declaration.size());
  std::size_t begin = 0;
  for (std::size_t at = 0; at < end; ++at) {
    if (declaration[at] == '(' || declaration[at] == '<') at = std::min(closing_bracket(declaration, at), end);
    if (at < end && declaration[at] == ' ') begin = at + 1;
  }
  return std::string(declaration.substr(begin, end - begin));
}

}  // namespace

// Demangles names only: __cxa_demangle also accepts "f", a type.
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
  const std::size_t open = parameters_of(text);
  if (text == symbol || open == text.npos) return std::nullopt;
  const std::size_t close = closing_bracket(text, open);
  if (close == text.npos) return std::nullopt;
  return split_types(std::string_view(text).substr(open + 1, close - open - 1));
}

KernelName split_kernel_name(std::string_view kernel) {
  const std::size_t open = parameters_of(kernel);
  if (open == kernel.npos) return {std::string(kernel), std::nullopt};
  const std::size_t end = kernel.find_last_not_of(' ', open - 1);
  const std::size_t close = std::min(kernel.rfind(')'), kernel.size());
  return {std::string(kernel.substr(0, end + 1)), std::string(kernel.substr(open + 1, close - open - 1))};
}

bool is_name_expression(std::string_view kernel) { return kernel.find_first_of("<:(") != std::string_view::npos; }

std::vector<std::string> name_expressions(const std::vector<std::string>& kernels) {
  std::vector<std::string> names;
  std::ranges::copy_if(kernels, std::back_inserter(names), is_name_expression);
  return names;
}

std::string kernel_address(const std::string& kernel) {
  const KernelName name = split_kernel_name(kernel);
  if (!name.parameters) return "&" + name.function;
  return "static_cast<void (*)(" + *name.parameters + ")>(&" + name.function + ")";
}

namespace {

// The parts of a name that a program may omit.
struct Leeway {
  bool arguments;  // of a template, the last ones or all
  bool scopes;
};
constexpr std::array<Leeway, 4> kLeeways = {{{false, false}, {true, false}, {false, true}, {true, true}}};

bool has_arguments(const CxxName& name, const CxxName& wanted, Leeway leeway) {
  if (name.arguments == wanted.arguments) return true;
  if (!leeway.arguments || !name.arguments) return false;
  if (!wanted.arguments) return true;
  return wanted.arguments->size() <= name.arguments->size() &&
         std::equal(wanted.arguments->begin(), wanted.arguments->end(), name.arguments->begin());
}

// C symbols have no parameters to compare.
bool can_be(const CxxName& name, const CxxName& wanted, Leeway leeway) {
  if (name.base != wanted.base || !has_arguments(name, wanted, leeway)) return false;
  if (name.scopes != wanted.scopes && !(leeway.scopes && wanted.scopes.empty())) return false;
  return !wanted.parameters || !name.parameters || name.parameters == wanted.parameters;
}

constexpr std::size_t kMaxListed = 16;

// Returns "scale(float*) = _Z5scalePf"; a C symbol alone.
std::string with_name(const std::string& symbol) {
  const std::string name = demangled(symbol);
  return name == symbol ? symbol : name + " = " + symbol;
}

std::string listed(const std::vector<std::string>& symbols) {
  std::vector<std::string> names;
  const std::size_t count = std::min(symbols.size(), kMaxListed);
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) names.push_back(with_name(symbols[i]));
  const std::string more = symbols.size() > kMaxListed ? ", ..." : "";
  return join(names, "no kernel") + more;
}

// Returns the name that a program can write: "scale<float>(float*, int)" for "void scale<float>(float*, int)".
std::string written(const std::string& symbol) {
  const std::string text = demangled(symbol);
  return text.starts_with("void ") ? text.substr(5) : text;
}

Error ambiguous(const std::string& kernel, const std::vector<std::string>& meant) {
  return make_error(ErrorCode::kCompileFailed, "kernel \"" + kernel + "\" is in the compiled code more than once (" +
                                                   listed(meant) + "). Name one of them in full: \"" +
                                                   written(meant.front()) + "\", or by its symbol.");
}

Error missing(const std::string& kernel, const std::vector<std::string>& present) {
  return make_error(ErrorCode::kCompileFailed,
                    "kernel \"" + kernel + "\" is not in the compiled code (the code has " + listed(present) +
                        "). Correct the name; of a template, name an instantiation as in \"scale<float>\".");
}

}  // namespace

std::vector<std::size_t> find_symbols(const std::string& kernel, const std::vector<std::string>& symbols) {
  if (const auto same = std::ranges::find(symbols, kernel); same != symbols.end()) {
    return {static_cast<std::size_t>(same - symbols.begin())};
  }
  const CxxName wanted = read_cxx_name(kernel);
  std::vector<CxxName> names;
  names.reserve(symbols.size());
  for (const std::string& symbol : symbols) names.push_back(read_cxx_name(demangled(symbol)));
  std::vector<std::size_t> places;
  for (const Leeway leeway : kLeeways) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (can_be(names[i], wanted, leeway)) places.push_back(i);
    }
    if (!places.empty()) break;
  }
  return places;
}

Result<std::string> find_symbol(const std::string& kernel, const std::vector<std::string>& present) {
  const std::vector<std::size_t> places = find_symbols(kernel, present);
  if (places.empty()) return missing(kernel, present);
  if (places.size() == 1) return present[places.front()];
  std::vector<std::string> meant;
  meant.reserve(places.size());
  for (const std::size_t place : places) meant.push_back(present[place]);
  return ambiguous(kernel, meant);
}

}  // namespace kmux
