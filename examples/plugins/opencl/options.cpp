#include "options.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "kmux/json.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/option_readers.h"

namespace kmux::opencl {
namespace {

// Source: Khronos, "The OpenCL Specification", options of clBuildProgram.
constexpr std::array<std::string_view, 3> kWhole = {"-w", "-Werror", "-g"};
constexpr std::array<std::string_view, 4> kWithValue = {"-cl-", "-D", "-U", "-I"};

Status check_flags(const std::vector<std::string>& flags) {
  const auto is_allowed = [](std::string_view flag) { return FlagList{kWhole, kWithValue}.contains(flag); };
  KMUX_TRY(kmux::check_flags(flags, is_allowed, {"opencl", "-cl-..., -D, -U, -I, -w and -Werror in one piece"}));
  for (const std::string& flag : flags) {
    if (flag.find_first_of(" \t\"'\\") == std::string::npos) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "compiler flag '" + flag +
                          "' has a blank, a quote or a backslash (drivers split their options at "
                          "blanks). Write a #define into the source instead.");
  }
  return Ok{};
}

// "cl30" of a program, in which a standard has no point, as "CL3.0".
Result<std::string> standard_flag(const std::string& standard) {
  std::string name;
  for (const char c : standard) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool is_one = name.size() == 4 && name.starts_with("cl") &&
                      std::isdigit(static_cast<unsigned char>(name[2])) != 0 &&
                      std::isdigit(static_cast<unsigned char>(name[3])) != 0;
  if (is_one) return "-cl-std=CL" + name.substr(2, 1) + "." + name.substr(3);
  return make_error(ErrorCode::kInvalidArgument,
                    "standard \"" + standard + "\" is not one of OpenCL C. Use one such as \"cl12\" or \"cl30\".");
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  BuildOptions result;
  const OptionReaders readers = {
      {"compile_flags", flags(result.compile_flags, check_flags)},
      {"fast_math", on_or_off(result.fast_math)},
      {"include_dirs", folders(result.include_dirs)},
  };
  KMUX_TRY(read_options("opencl", options, host, readers));
  return result;
}

Json to_json(const BuildOptions& options) {
  return Json::Object{{"compile_flags", json_list(options.compile_flags)},
                      {"fast_math", options.fast_math},
                      {"include_dirs", json_list(options.include_dirs)}};
}

Result<std::string> compiler_options(const BuildOptions& options, const Settings& settings,
                                     const std::vector<std::string>& folders) {
  std::string text;
  if (!settings.standard.empty()) {
    KMUX_ASSIGN(const std::string flag, standard_flag(settings.standard));
    text += " " + flag;
  }
  if (options.fast_math || settings.fast_math) text += " -cl-mad-enable";
  KMUX_TRY(check_flags(settings.compile_flags));
  for (const auto* list : {&settings.compile_flags, &options.compile_flags}) {
    for (const std::string& flag : *list) text += " " + flag;
  }
  for (const std::string& folder : folders) {
    if (folder.find_first_of(" \t\"'") != std::string::npos) {
      return make_error(ErrorCode::kInvalidArgument,
                        "folder '" + folder +
                            "' has a blank or a quote in its name (drivers split their options at "
                            "blanks). Name it otherwise, or link to it.");
    }
    text += " -I" + folder;
  }
  return text;
}

}  // namespace kmux::opencl
