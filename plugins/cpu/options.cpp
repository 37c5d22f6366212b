#include "options.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kmux/nearest.h"

#include "flags.h"
#include "target.h"

namespace kmux::cpu {
namespace {

const std::vector<std::string>& known_options() {
  static const std::vector<std::string> names = {"compile_flags", "engine",    "host_compiler", "include_dirs",
                                                 "march",         "opt_level", "target_host"};
  return names;
}

Error unknown_option(const std::string& name) {
  std::string list;
  for (const std::string& known : known_options()) list.append(list.empty() ? "" : ", ").append(known);
  return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" is not known (backend cpu knows " + list +
                                                     ")." + did_you_mean(name, known_options()) +
                                                     " Correct or remove it.");
}

Error bad_value(std::string_view name, const std::string& value, const std::string& allowed) {
  return make_error(ErrorCode::kInvalidArgument, "option \"" + std::string(name) + "\" cannot be \"" + value +
                                                     "\" (backend cpu). Use " + allowed + ".");
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The processor goes into a command line, so it is a name and nothing else.
bool is_cpu_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kLetters) == std::string_view::npos;
}

Status set(BuildOptions& result, std::string_view name, const std::string& value) {
  if (name == "engine") {
    if (value != "clang" && value != "host") return bad_value(name, value, "\"clang\" or \"host\"");
    result.engine = value == "host" ? Engine::kHost : Engine::kClang;
  } else if (name == "opt_level") {
    if (value.size() != 1 || value[0] < '0' || value[0] > '3') return bad_value(name, value, "0, 1, 2 or 3");
    result.opt_level = value[0] - '0';
  } else if (name == "march") {
    if (!is_cpu_name(value)) return bad_value(name, value, "\"native\" or the name of a processor");
    result.march = value;
  } else if (name == "host_compiler") {
    result.host_compiler = value;
  } else if (name == "target_host") {
    KMUX_ASSIGN(const Target target, resolve_cpu_target(value));
    result.target_host = target.arch;
  } else if (name == "compile_flags") {
    result.compile_flags = split_lines(value);
    return check_flags(result.compile_flags);
  } else {
    for (const std::string& folder : split_lines(value)) {
      result.include_dirs.push_back(std::filesystem::absolute(folder).string());
    }
  }
  return Ok{};
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  const auto& names = known_options();
  for (const auto& [name, value] : options) {
    if (std::find(names.begin(), names.end(), name) == names.end()) return unknown_option(name);
  }
  BuildOptions result;
  for (const std::string& name : names) {
    const auto given = options.find(name);
    const std::optional<std::string> value = given != options.end() ? given->second : host.option("cpu." + name);
    if (value) KMUX_TRY(set(result, name, *value));
  }
  return result;
}

}  // namespace kmux::cpu
