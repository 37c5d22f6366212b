#include "options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kmux/nearest.h"
#include "kmux/words.h"

#include "flags.h"
#include "target.h"

namespace kmux::cpu {
namespace {

Error bad_value(std::string_view name, const std::string& value, const std::string& allowed) {
  return make_error(ErrorCode::kInvalidArgument, "option \"" + std::string(name) + "\" cannot be \"" + value +
                                                     "\" (backend cpu). Use " + allowed + ".");
}

// The processor goes into a command line, so it is a name and nothing else.
bool is_cpu_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kLetters) == std::string_view::npos;
}

Status set_engine(BuildOptions& result, const std::string& value) {
  if (value != "clang" && value != "host") return bad_value("engine", value, R"("clang" or "host")");
  result.engine = value == "host" ? Engine::kHost : Engine::kClang;
  return Ok{};
}

Status set_opt_level(BuildOptions& result, const std::string& value) {
  if (value.size() != 1 || value[0] < '0' || value[0] > '3') return bad_value("opt_level", value, "0, 1, 2 or 3");
  result.opt_level = value[0] - '0';
  return Ok{};
}

Status set_tier(BuildOptions& result, const std::string& value) {
  if (value != name_of(Tier::kFast) && value != name_of(Tier::kFull)) {
    return bad_value("tier", value, R"("fast" or "full")");
  }
  result.tier = value == name_of(Tier::kFast) ? Tier::kFast : Tier::kFull;
  return Ok{};
}

Status set_march(BuildOptions& result, const std::string& value) {
  if (!is_cpu_name(value)) return bad_value("march", value, "\"native\" or the name of a processor");
  result.march = value;
  return Ok{};
}

Status set_host_compiler(BuildOptions& result, const std::string& value) {
  result.host_compiler = value;
  return Ok{};
}

Status set_target_host(BuildOptions& result, const std::string& value) {
  KMUX_ASSIGN(const Target target, resolve_cpu_target(value));
  result.target_host = target.arch;
  return Ok{};
}

Status set_compile_flags(BuildOptions& result, const std::string& value) {
  result.compile_flags = split_lines(value);
  return check_flags(result.compile_flags);
}

Status set_include_dirs(BuildOptions& result, const std::string& value) {
  for (const std::string& folder : split_lines(value)) {
    result.include_dirs.push_back(std::filesystem::absolute(folder).string());
  }
  return Ok{};
}

struct Option {
  std::string_view name;
  Status (*set)(BuildOptions& result, const std::string& value);
};

constexpr std::array<Option, 8> kOptions = {{
    {"compile_flags", set_compile_flags},
    {"engine", set_engine},
    {"host_compiler", set_host_compiler},
    {"include_dirs", set_include_dirs},
    {"march", set_march},
    {"opt_level", set_opt_level},
    {"target_host", set_target_host},
    {"tier", set_tier},
}};

Error unknown_option(const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  for (const Option& option : kOptions) {
    known.emplace_back(option.name);
    list.append(list.empty() ? "" : ", ").append(option.name);
  }
  return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" is not known (backend cpu knows " + list +
                                                     ")." + did_you_mean(name, known) + " Correct or remove it.");
}

bool is_known(std::string_view name) {
  return std::any_of(kOptions.begin(), kOptions.end(), [&](const Option& option) { return option.name == name; });
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  for (const auto& [name, value] : options) {
    if (!is_known(name)) return unknown_option(name);
  }
  BuildOptions result;
  for (const Option& option : kOptions) {
    const std::string name(option.name);
    const auto given = options.find(name);
    const std::optional<std::string> value = given != options.end() ? given->second : host.option("cpu." + name);
    if (value) KMUX_TRY(option.set(result, *value));
  }
  return result;
}

}  // namespace kmux::cpu
