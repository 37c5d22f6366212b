#include "msl_kernels.h"

#include <algorithm>
#include <vector>

namespace kmux::conformance {
namespace {

constexpr std::string_view kKernel = "KERNEL ";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parts;
}

std::string parameter(const std::string& text, std::size_t number) {
  const std::string place = " [[buffer(" + std::to_string(number) + ")]]";
  if (text.find('*') != std::string::npos) return "device " + text + place;
  const std::size_t name = text.rfind(' ');
  return "constant " + text.substr(0, name) + "&" + text.substr(name) + place;
}

std::string parameters(std::string_view list) {
  if (list == "void") return "";
  std::string text;
  std::size_t number = 0;
  for (const std::string& part : split(list)) {
    text += (number == 0 ? "" : ", ") + parameter(part, number);
    ++number;
  }
  return text;
}

} // namespace

std::string msl_kernels(std::string_view text) {
  std::string msl;
  while (true) {
    const std::size_t begin = text.find(kKernel);
    msl += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin + kKernel.size());
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')');
    msl += "kernel " + std::string(text.substr(0, open + 1)) + parameters(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close);
  }
  replace_all(msl, "long long", "long");
  return msl;
}

} // namespace kmux::conformance
