#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace kmux::bench {

/// Is the bar `name` to be measured? All are, if none is named.
inline bool is_wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

/// "bar NAME VALUE UNIT", at once: the next bar may take long.
inline void print_bar(const std::string& name, double value, const char* unit) {
  std::printf("bar %s %.3f %s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

/// The exit code of `body()`, or 1 after its exception was told on stderr as that of `what`.
template <class Body>
int told(const char* what, const Body& body) {
  try {
    return body();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", what, failure.what());
    return 1;
  }
}

}  // namespace kmux::bench
