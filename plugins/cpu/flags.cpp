#include "flags.h"

#include <array>
#include <string_view>

#include "kmux/plugin/compiler_flags.h"

namespace kmux::cpu {
namespace {

constexpr std::array<std::string_view, 6> kWhole = {"-w", "-O", "-g", "-W", "-pedantic", "-pedantic-errors"};
constexpr std::array<std::string_view, 9> kWithValue = {"-D", "-U", "-I", "-O", "-f", "-m", "-W", "-g", "-std="};

// Kinds of -f, -m and -W that load code, write files, make code of another word size, or need a run-time library that
// is not there.
constexpr std::array<std::string_view, 20> kRefused = {
    "-fplugin",  "-fpass-plugin", "-fmodule", "-fprofile",       "-fsanitize", "-fcoverage", "-fdump", "-fsave-",
    "-fsyntax-", "-ftime-trace",  "-flto",    "-fno-integrated", "-mllvm",     "-m32",       "-mx32",  "-m16",
    "-Wl,",      "-Wp,",          "-Wa,",     "-fembed"};

// -f, -m and -W take no paths, unless to write something or to load it.
bool names_a_file(std::string_view flag) {
  const bool may = flag.starts_with("-D") || flag.starts_with("-I");
  return !may && flag.find('/') != std::string_view::npos;
}

bool is_allowed(std::string_view flag) {
  return FlagList{kWhole, kWithValue}.contains(flag) && !begins_with_any(flag, kRefused) && !names_a_file(flag);
}

}  // namespace

Status check_flags(const std::vector<std::string>& flags) {
  return kmux::check_flags(flags, is_allowed,
                           {"cpu", "-D, -U, -I, -O, -f, -m, -W, -g or -std= in one piece, without file names"});
}

}  // namespace kmux::cpu
