#include "options.h"

#include <algorithm>
#include <array>

#include "kmux/json.h"
#include "kmux/option_readers.h"

namespace kmux::hip {
namespace {

constexpr std::array<std::string_view, 3> kEngines = {"auto", "hiprtc", "clang"};

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

Status check_flags(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    if (is_allowed(flag)) continue;
    return make_error(
        ErrorCode::kInvalidArgument,
        "compiler flag \"" + flag +
            "\" is not allowed (backend hip; it could write files, load code or change the steps of the "
            "compilation). Use -D, -U, -I, -O, -std=, -ffast-math, -mcumode and their like in one piece.");
  }
  return Ok{};
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  BuildOptions result;
  const OptionReaders readers = {
      {"compile_flags", lines(result.compile_flags, check_flags)},
      {"engine", one_of(result.engine, kEngines)},
      {"fast_math", on_or_off(result.fast_math)},
      {"include_dirs", folders(result.include_dirs)},
  };
  KMUX_TRY(read_options("hip", options, host, readers));
  return result;
}

Json to_json(const BuildOptions& options) {
  return Json::Object{{"compile_flags", Json::Array(options.compile_flags.begin(), options.compile_flags.end())},
                      {"engine", kEngines[static_cast<std::size_t>(options.engine)]},
                      {"fast_math", options.fast_math},
                      {"include_dirs", Json::Array(options.include_dirs.begin(), options.include_dirs.end())}};
}

}  // namespace kmux::hip
