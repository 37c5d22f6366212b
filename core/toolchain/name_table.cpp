#include "kmux/plugin/name_table.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "kmux/plugin/kernel_names.h"

#include "cxx_name.h"

namespace kmux {
namespace {

constexpr std::string_view kEntry = "kmux_kernel<";

// A program may define macros of any name without kmux's prefix.
constexpr std::string_view kTemplate =
    "template <int kmux_number, class kmux_type, kmux_type kmux_address>\n"
    "__device__ __attribute__((used)) char kmux_kernel = 0;\n";

std::string type_of(const KernelName& name) {
  return name.parameters ? "void (*)(" + *name.parameters + ")" : "decltype(&" + name.function + ")";
}

// A kernel in a variable's name: "&(void scale<float>(float*))", or without parameters "&ns::scale".
struct TableEntry {
  std::size_t kernel = 0;
  std::string type = {};  // "void (*)(float*)"
  std::string function = {};
};

std::string without_brackets(std::string_view address) {
  while (address.starts_with('&')) address.remove_prefix(1);
  const bool is_in_brackets = address.starts_with('(') && closing_bracket(address, 0) == address.size() - 1;
  return std::string(is_in_brackets ? address.substr(1, address.size() - 2) : address);
}

std::optional<TableEntry> read_entry(const std::string& variable) {
  const std::string text = demangled(variable);
  const std::size_t at = text.find(kEntry);
  if (at == text.npos) return std::nullopt;
  const std::size_t open = at + kEntry.size() - 1;
  const std::size_t close = closing_bracket(text, open);
  if (close == text.npos) return std::nullopt;
  const std::vector<std::string> parts = split_types(std::string_view(text).substr(open + 1, close - open - 1));
  TableEntry entry;
  if (parts.size() != 3) return std::nullopt;
  const auto read = std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), entry.kernel);
  if (read.ec != std::errc()) return std::nullopt;
  entry.type = parts[1];
  entry.function = without_brackets(parts[2]);
  return entry;
}

// Returns the parameters in "void (*)(float*, int)".
std::string_view parameters_in(std::string_view type) {
  const std::size_t pointer = type.find(")(");
  if (pointer == type.npos) return {};
  const std::size_t close = closing_bracket(type, pointer + 1);
  return close == type.npos ? std::string_view() : type.substr(pointer + 2, close - pointer - 2);
}

// Returns true if `symbol` is the namespace function of the entry, whose address has no parameters in its name.
bool is_by_type(const TableEntry& entry, const std::string& symbol) {
  const auto types = parameter_types(symbol);
  return types && function_name(symbol) == entry.function && *types == split_types(parameters_in(entry.type));
}

// Returns true if `symbol` is the C function of the entry, which has no namespace in its symbol.
bool is_of_c(const TableEntry& entry, const std::string& symbol) {
  return demangled(symbol) == symbol && read_cxx_name(entry.function).base == symbol;
}

std::optional<std::string> symbol_of(const TableEntry& entry, const std::vector<std::string>& symbols) {
  const auto find = [&](const auto& is_it) { return std::ranges::find_if(symbols, is_it); };
  auto found = find([&](const std::string& one) { return demangled(one) == entry.function; });
  if (found == symbols.end()) found = find([&](const std::string& one) { return is_by_type(entry, one); });
  if (found == symbols.end()) found = find([&](const std::string& one) { return is_of_c(entry, one); });
  return found == symbols.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::string name_table(const std::vector<std::string>& kernels) {
  std::string entries;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!is_name_expression(kernels[i])) continue;
    const KernelName name = split_kernel_name(kernels[i]);
    entries.append("template __device__ char kmux_kernel<").append(std::to_string(i)).append(", ");
    entries.append(type_of(name)).append(", &").append(name.function).append(">;\n");
  }
  if (entries.empty()) return "";
  return "#line 1 \"" + std::string(kNameTable) + "\"\n" + std::string(kTemplate) + entries;
}

bool is_about_names(std::string_view log, std::string_view table) {
  bool is_there = false;
  for (std::size_t at = log.find("error"); at != log.npos; at = log.find("error", at + 1)) {
    const std::size_t begin = log.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::string_view line = log.substr(begin, log.find('\n', at) - begin);
    const bool has_place = line.find("): error") != line.npos || line.find(": error:") != line.npos;
    if (!has_place) continue;
    if (!line.starts_with(table)) return false;
    is_there = true;
  }
  return is_there;
}

Error with_name_errors(Error error, const std::string& log) {
  return log.empty() ? std::move(error) : std::move(error).with("log", log);
}

bool is_of_name_table(const std::string& symbol) { return read_entry(symbol).has_value(); }

std::vector<std::string> names_by_table(const std::vector<std::string>& kernels,
                                        const std::vector<std::string>& variables,
                                        const std::vector<std::string>& symbols) {
  std::vector<std::string> names = kernels;
  for (const std::string& variable : variables) {
    const std::optional<TableEntry> entry = read_entry(variable);
    if (!entry || entry->kernel >= names.size()) continue;
    if (auto symbol = symbol_of(*entry, symbols)) names[entry->kernel] = *std::move(symbol);
  }
  return names;
}

}  // namespace kmux
