#include "flags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kmux::cpu {
namespace {

constexpr std::array<std::string_view, 10> kAllowed = {"-D", "-U", "-I", "-O",    "-f",
                                                       "-m", "-W", "-g", "-std=", "-pedantic"};

// Kinds of -f, -m and -W that load code, write files, make code of another word size, or need a run-time library that
// is not there.
constexpr std::array<std::string_view, 20> kRefused = {
    "-fplugin",  "-fpass-plugin", "-fmodule", "-fprofile",       "-fsanitize", "-fcoverage", "-fdump", "-fsave-",
    "-fsyntax-", "-ftime-trace",  "-flto",    "-fno-integrated", "-mllvm",     "-m32",       "-mx32",  "-m16",
    "-Wl,",      "-Wp,",          "-Wa,",     "-fembed"};

bool begins_with_any(std::string_view flag, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return flag.starts_with(p); });
}

// -f, -m and -W take no paths, unless to write something or to load it.
bool names_a_file(std::string_view flag) {
  const bool may = flag.starts_with("-D") || flag.starts_with("-I");
  return !may && flag.find('/') != std::string_view::npos;
}

bool is_bare(std::string_view flag) { return flag == "-D" || flag == "-U" || flag == "-I"; }

bool is_allowed(std::string_view flag) {
  if (flag == "-w") return true;
  return begins_with_any(flag, kAllowed) && !begins_with_any(flag, kRefused) && !names_a_file(flag) && !is_bare(flag);
}

}  // namespace

Status check_flags(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    if (is_allowed(flag)) continue;
    return make_error(
        ErrorCode::kInvalidArgument,
        "compiler flag \"" + flag +
            "\" is not allowed (it could write files, load code or change the steps of the compilation). Use "
            "-D, -U, -I, -O, -f, -m, -W, -g or -std= in one piece, without file names.");
  }
  return Ok{};
}

}  // namespace kmux::cpu
