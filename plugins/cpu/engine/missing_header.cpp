#include "engine/missing_header.h"

#include <algorithm>
#include <array>

#include "engine/installation.h"

namespace kmux::cpu {
namespace {

// Of ISO C and POSIX, and what those include; Clang brings the others of ISO C itself.
constexpr std::array<std::string_view, 27> kLibcHeaders = {
    "alloca.h", "assert.h", "complex.h", "ctype.h",  "dlfcn.h",    "errno.h",      "fcntl.h",
    "fenv.h",   "locale.h", "malloc.h",  "math.h",   "memory.h",   "pthread.h",    "sched.h",
    "setjmp.h", "signal.h", "stdio.h",   "stdlib.h", "string.h",   "strings.h",    "threads.h",
    "time.h",   "uchar.h",  "unistd.h",  "wchar.h",  "features.h", "linux/errno.h"};

// Those that most sources take, and a test for the rest: they all end alike.
constexpr std::array<std::string_view, 12> kClangHeaders = {"float.h",    "inttypes.h",  "iso646.h", "limits.h",
                                                            "stdalign.h", "stdarg.h",    "stddef.h", "stdint.h",
                                                            "stdbool.h",  "stdatomic.h", "tgmath.h", "stdnoreturn.h"};

bool is_clangs(std::string_view name) {
  return std::ranges::find(kClangHeaders, name) != kClangHeaders.end() || name.ends_with("intrin.h");
}

bool is_libcs(std::string_view name) {
  return std::ranges::find(kLibcHeaders, name) != kLibcHeaders.end() || name.starts_with("bits/") ||
         name.starts_with("sys/") || name.starts_with("gnu/");
}

// The standard library's have no ending ("vector", "cmath").
bool is_cpps(std::string_view name) { return name.find_first_of("./") == std::string_view::npos; }

}  // namespace

std::string_view missing_header(std::string_view log) {
  constexpr std::string_view kBefore = "fatal error: '";
  constexpr std::string_view kAfter = "' file not found";
  const std::size_t end = log.find(kAfter);
  if (end == std::string_view::npos) return {};
  const std::size_t begin = log.rfind(kBefore, end);
  if (begin == std::string_view::npos) return {};
  return log.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

std::string advice_for_header(std::string_view name) {
  if (is_clangs(name)) {
    const auto folder = resource_dir();
    return folder ? "" : " " + folder.error().message;
  }
  if (is_libcs(name)) return " The header is the C library's: apt-get install libc6-dev.";
  if (is_cpps(name)) return " The header is the C++ library's: apt-get install libstdc++-12-dev.";
  return "";
}

Error with_advice(Error error, std::string_view log) {
  if (const std::string_view name = missing_header(log); !name.empty()) error.message += advice_for_header(name);
  return error;
}

}  // namespace kmux::cpu
