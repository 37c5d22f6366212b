// Checks a libcuda against the rules: driver_rules [LIBRARY [PART_OF_NAME]]. Prints one line a rule to stdout, "same"
// or the difference; exit code 1 if a rule differs, 2 if there is no driver.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <unistd.h>

#include "driver_rules.h"

namespace {

constexpr unsigned kMaxSeconds = 60;  // a rule; then SIGALRM ends the program, and stderr names the rule

int check(const kmux::driver_rules::Driver& driver, const char* part) {
  int differing = 0;
  for (const auto& rule : kmux::driver_rules::rules()) {
    if (std::strstr(rule.name.c_str(), part) == nullptr) continue;
    std::fprintf(stderr, "%s\n", rule.name.c_str());
    alarm(kMaxSeconds);
    const std::string got = kmux::driver_rules::outcome_of(driver, rule);
    const bool same = got == rule.expected;
    differing += same ? 0 : 1;
    if (same) std::printf("%s same\n", rule.name.c_str());
    if (!same) {
      std::printf("%s DIFFERS expected \"%s\" got \"%s\"\n", rule.name.c_str(), rule.expected.c_str(), got.c_str());
    }
    std::fflush(stdout);
  }
  alarm(0);
  std::printf("driver_rules_differ %d\n", differing);
  return differing == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const char* path = count > 1 ? arguments[1] : "libcuda.so.1";
  const char* part = count > 2 ? arguments[2] : "";
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  try {
    return check(kmux::driver_rules::Driver::open(library), part);
  } catch (const std::exception& problem) {
    return std::fprintf(stderr, "%s\n", problem.what()), 2;
  }
}
