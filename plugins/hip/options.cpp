#include "options.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/option_readers.h"

namespace kmux::hip {
namespace {

constexpr std::array<std::string_view, 3> kEngines = {"auto", "hiprtc", "clang"};

// Flags that only change how a kernel is compiled. Flags below with a value have it in the same piece.
constexpr std::array<std::string_view, 8> kWhole = {"-w",
                                                    "-g",
                                                    "-ffast-math",
                                                    "-mcumode",
                                                    "-mno-cumode",
                                                    "-mwavefrontsize64",
                                                    "-mno-wavefrontsize64",
                                                    "-munsafe-fp-atomics"};
constexpr std::array<std::string_view, 3> kWithText = {"-D", "-U", "-I"};  // any text
constexpr std::array<std::string_view, 4> kContractions = {"fast", "on", "off", "fast-honor-pragmas"};
constexpr std::array<std::string_view, 6> kLevels = {"0", "1", "2", "3", "s", "z"};
constexpr std::array<ValuedFlag, 5> kValued = {{{"-O", FlagValue::kWord, kLevels},
                                                {"-std=", FlagValue::kName},
                                                {"--std=", FlagValue::kName},
                                                {"-ffp-contract=", FlagValue::kWord, kContractions},
                                                {"--gpu-max-threads-per-block="}}};
// The features (-fNAME) that a kernel may switch off.
constexpr std::array<std::string_view, 14> kSwitchedOff = {
    "-fno-fast-math",        "-fno-approx-func",   "-fno-math-errno",   "-fno-signed-zeros", "-fno-honor-nans",
    "-fno-honor-infinities", "-fno-trapping-math", "-fno-unroll-loops", "-fno-vectorize",    "-fno-slp-vectorize",
    "-fno-strict-aliasing",  "-fno-exceptions",    "-fno-rtti",         "-fno-inline"};

bool is_allowed(std::string_view flag) {
  return FlagList{kWhole, kWithText, kValued}.contains(flag) || is_warning_flag(flag) ||
         std::ranges::find(kSwitchedOff, flag) != kSwitchedOff.end();
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
