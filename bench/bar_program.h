#pragma once

#include <span>
#include <string>
#include <vector>

namespace kmux::bench {

inline std::string nothing() { return {}; }

/// A figure that we hold ourselves to.
struct Bar {
  std::string name;
  double (*measure)();
  const char* unit;
  /// Why it cannot be measured here; empty if it can.
  std::string (*missing)() = nothing;
  /// How many processes measure it; their median counts. Where code and data of a process come to lie decides over tens of
  /// nanoseconds, and is the same for every call of a process: so what is that small is measured in several.
  int processes = 1;
};

/// Is the bar `name` to be measured? All are, if none is named.
bool is_wanted(const std::vector<std::string>& names, const std::string& name);

/// "bar NAME VALUE UNIT", at once: the next bar may take long.
void print_bar(const std::string& name, double value, const char* unit);

/// The exit code of `body()`, or 1 after its exception was told on stderr as that of `what`.
int told(const std::string& what, int (*body)(const void*), const void* argument);
template <class Body>
int told(const std::string& what, const Body& body) {
  return told(what, [](const void* argument) { return (*static_cast<const Body*>(argument))(); }, &body);
}

/// What a program of bars does: measures those that `words` name, or all; names on stderr what cannot be measured here. With
/// "--once" it is a process of its own for one bar, which is told `for_processes`, too.
///
/// Returns: the exit code: 1 if a bar failed.
int measure_bars(const std::string& program, std::span<const Bar> bars, std::vector<std::string> words,
                 const std::vector<std::string>& for_processes = {});

}  // namespace kmux::bench
