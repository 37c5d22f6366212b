#include "options.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "kmux/json.h"
#include "kmux/nearest.h"
#include "kmux/words.h"

namespace kmux::hip {
namespace {

constexpr std::array<std::string_view, 3> kEngines = {"auto", "hiprtc", "clang"};

Error bad_value(std::string_view name, const std::string& value, std::string_view allowed) {
  return make_error(ErrorCode::kInvalidArgument, "option \"" + std::string(name) + "\" cannot be \"" + value +
                                                     "\" (backend hip). Use " + std::string(allowed) + ".");
}

// Flags that change how a kernel is compiled and nothing else; those of the second list have their value in one piece.
constexpr std::array<std::string_view, 8> kWhole = {"-w",
                                                    "-g",
                                                    "-ffast-math",
                                                    "-mcumode",
                                                    "-mno-cumode",
                                                    "-mwavefrontsize64",
                                                    "-mno-wavefrontsize64",
                                                    "-munsafe-fp-atomics"};
constexpr std::array<std::string_view, 10> kWithValue = {
    "-D", "-U", "-I", "-O", "-W", "-std=", "--std=", "-ffp-contract=", "-fno-", "--gpu-max-threads-per-block="};

bool is_allowed(std::string_view flag) {
  if (flag.starts_with("-Wl,") || flag.starts_with("-Wa,") || flag.starts_with("-Wp,")) return false;
  if (std::ranges::find(kWhole, flag) != kWhole.end()) return true;
  return std::ranges::any_of(
      kWithValue, [&](std::string_view prefix) { return flag.starts_with(prefix) && flag.size() > prefix.size(); });
}

Status set_engine(BuildOptions& result, const std::string& value) {
  const auto found = std::ranges::find(kEngines, value);
  if (found == kEngines.end()) return bad_value("engine", value, R"("auto", "hiprtc" or "clang")");
  result.engine = static_cast<Engine>(found - kEngines.begin());
  return Ok{};
}

Status set_fast_math(BuildOptions& result, const std::string& value) {
  if (value != "on" && value != "off") return bad_value("fast_math", value, R"("on" or "off")");
  result.fast_math = value == "on";
  return Ok{};
}

Status set_compile_flags(BuildOptions& result, const std::string& value) {
  result.compile_flags = split_lines(value);
  for (const std::string& flag : result.compile_flags) {
    if (is_allowed(flag)) continue;
    return make_error(
        ErrorCode::kInvalidArgument,
        "compiler flag \"" + flag +
            "\" is not allowed (backend hip; it could write files, load code or change the steps of the "
            "compilation). Use -D, -U, -I, -O, -std=, -ffast-math, -mcumode and their like in one piece.");
  }
  return Ok{};
}

Status set_include_dirs(BuildOptions& result, const std::string& value) {
  for (const std::string& folder : split_lines(value)) {
    result.include_dirs.push_back(std::filesystem::absolute(folder).lexically_normal().string());
  }
  return Ok{};
}

struct Option {
  const char* name;
  Status (*set)(BuildOptions& result, const std::string& value);
};

constexpr std::array<Option, 4> kOptions = {{{"compile_flags", set_compile_flags},
                                             {"engine", set_engine},
                                             {"fast_math", set_fast_math},
                                             {"include_dirs", set_include_dirs}}};

Status check_names(const Options& options) {
  std::vector<std::string> names;
  names.reserve(kOptions.size());
  for (const Option& option : kOptions) names.emplace_back(option.name);
  for (const auto& [name, value] : options) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" is not known (backend hip knows " +
                                                       join(names) + ")." + did_you_mean(name, names) +
                                                       " Correct or remove it.");
  }
  return Ok{};
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  KMUX_TRY(check_names(options));
  BuildOptions result;
  for (const Option& option : kOptions) {
    const auto given = options.find(option.name);
    const auto value = given != options.end() ? given->second : host.option("hip." + std::string(option.name));
    if (value) KMUX_TRY(option.set(result, *value));
  }
  return result;
}

Json to_json(const BuildOptions& options) {
  return Json::Object{{"compile_flags", Json::Array(options.compile_flags.begin(), options.compile_flags.end())},
                      {"engine", kEngines[static_cast<std::size_t>(options.engine)]},
                      {"fast_math", options.fast_math},
                      {"include_dirs", Json::Array(options.include_dirs.begin(), options.include_dirs.end())}};
}

}  // namespace kmux::hip
