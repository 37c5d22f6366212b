#pragma once

#include <string>
#include <vector>

namespace kmux::bench {

/// The largest or the smallest value that a bar may have.
struct Limit {
  enum class Kind { kNone, kAtMost, kAtLeast };

  Kind kind = Kind::kNone;
  double value = 0;

  /// Returns true if `measured` is within the limit.
  bool holds(double measured) const;
  /// "<= 110", ">= 0.95", or "" without a limit.
  std::string text() const;
};

constexpr Limit at_most(double value) { return {Limit::Kind::kAtMost, value}; }
constexpr Limit at_least(double value) { return {Limit::Kind::kAtLeast, value}; }
constexpr Limit no_limit() { return {}; }

/// The requirements of a bar beside its function.
struct BarNeeds {
  /// Returns why the bar cannot be measured here; empty if it can.
  std::string (*missing)() = nullptr;
  /// The number of processes that measure it; the bar reports their median. The addresses of a process's code and data
  /// change a figure by tens of nanoseconds, equally for every call of the process.
  int processes = 1;
};

/// A figure with a limit. Each is measured in a separate process, so that it does not affect later ones.
struct Bar {
  std::string group;
  std::string name;
  std::string unit;
  Limit limit;
  double (*measure)();
  BarNeeds needs = {};
};

/// A function for a child process of a bar. It gets the words after the child's name and returns the exit code.
struct Child {
  std::string name;
  int (*run)(const std::vector<std::string>& words);
};

/// The bars and children that the sources of the program register, in any order.
std::vector<Bar>& registered_bars();
std::vector<Child>& registered_children();

/// Returns the command that runs the child `name` of this program with `words`, under the same settings.
std::vector<std::string> child_command(const std::string& name, const std::vector<std::string>& words = {});

struct Registration {
  explicit Registration(Bar bar) { registered_bars().push_back(std::move(bar)); }
  explicit Registration(Child child) { registered_children().push_back(std::move(child)); }
};

}  // namespace kmux::bench

#define KMUX_BENCH_JOIN_(a, b) a##b
#define KMUX_BENCH_JOIN(a, b) KMUX_BENCH_JOIN_(a, b)
#define KMUX_BENCH_REGISTER \
  [[maybe_unused]] static const ::kmux::bench::Registration KMUX_BENCH_JOIN(kRegistration, __COUNTER__)

/// BAR("name", "unit", limit, function[, BarNeeds]) registers a bar beside its function; its group is that of
/// kmux_add_bars. The comment above must describe it: bench/performance.py copies it to docs/performance.md.
#define BAR(name, unit, limit, function, ...) \
  KMUX_BENCH_REGISTER(::kmux::bench::Bar{KMUX_BAR_GROUP, name, unit, limit, function __VA_OPT__(, ) __VA_ARGS__})

/// CHILD("name", function) registers the function of a bar's child process (`child_command`).
#define CHILD(name, function) KMUX_BENCH_REGISTER(::kmux::bench::Child{name, function})
