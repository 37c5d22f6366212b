#include "options.h"

#include <array>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/option_readers.h"

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
constexpr std::array<std::string_view, 3> kRefused = {"-Wl,", "-Wa,", "-Wp,"};  // for other programs

bool is_allowed(std::string_view flag) {
  return FlagList{kWhole, kWithValue}.contains(flag) && !begins_with_any(flag, kRefused);
}

Status check_flags(const std::vector<std::string>& flags) {
  return kmux::check_flags(flags, is_allowed,
                           {"hip", "-D, -U, -I, -O, -std=, -ffast-math, -mcumode and their like in one piece"});
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  BuildOptions result;
  const OptionReaders readers = {
      {"compile_flags", flags(result.compile_flags, check_flags)},
      {"engine", one_of(result.engine, kEngines)},
      {"fast_math", on_or_off(result.fast_math)},
      {"graph", on_or_off(result.graph)},
      {"include_dirs", folders(result.include_dirs)},
  };
  KMUX_TRY(read_options("hip", options, host, readers));
  return result;
}

}  // namespace kmux::hip
