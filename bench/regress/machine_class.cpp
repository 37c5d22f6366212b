#include "regress/machine_class.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace kmux::regress {
namespace {

/// Returns the value of the first line "KEY : VALUE". Longer keys with the same beginning do not match.
std::string field_of(std::string_view text, std::string_view key) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__);
#else
  return "g++ " + std::to_string(__GNUC__);
#endif
}

bool is_plain(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

}  // namespace

std::string MachineClass::to_string() const { return processor + ", " + compiler + ", " + build_type; }

std::string MachineClass::file_name() const {
  std::string name;
  for (const char letter : to_string()) {
    if (is_plain(letter)) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (name.ends_with('-')) name.pop_back();
  return name + ".json";
}

std::string processor_in(std::string_view cpuinfo) {
  std::string processor = field_of(cpuinfo, "model name");
  if (processor.empty()) return "unknown";
  for (const char* const key : {"cpu family", "model"}) {
    const std::string value = field_of(cpuinfo, key);
    if (!value.empty()) processor.append(key == std::string_view("model") ? " model " : " family ").append(value);
  }
  return processor;
}

MachineClass this_machine_class() {
  std::ostringstream cpuinfo;
  cpuinfo << std::ifstream("/proc/cpuinfo").rdbuf();
  return {processor_in(cpuinfo.str()), compiler_name(), KMUX_BUILD_TYPE};
}

}  // namespace kmux::regress
