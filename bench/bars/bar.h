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

/// What a bar needs beside its function.
struct BarNeeds {
  /// Returns why the bar cannot be measured here; empty if it can.
  std::string (*missing)() = nullptr;
  /// The number of processes that measure it; their median counts. Where code and data of a process lie decides over tens of
  /// nanoseconds, and is the same for every call of a process.
  int processes = 1;
};

/// A figure with a limit. Each is measured in a process of its own, so none changes what the next one finds.
struct Bar {
  std::string group;
  std::string name;
  std::string unit;
  Limit limit;
  double (*measure)();
  BarNeeds needs = {};
};

/// A function for a process that a bar starts, with the words after its name; returns the exit code.
struct Child {
  std::string name;
  int (*run)(const std::vector<std::string>& words);
};

/// All that the sources of the program register, in any order.
std::vector<Bar>& registered_bars();
std::vector<Child>& registered_children();

/// The command that runs the child `name` of this program with `words`, under the same settings.
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

/// BAR("name", "unit", limit, function[, BarNeeds]) registers a bar where it is measured; its group is that of kmux_add_bars. The comment
/// above says what it is, and stands in docs/performance.md (bench/performance.py reads it here).
#define BAR(name, unit, limit, function, ...) \
  KMUX_BENCH_REGISTER(::kmux::bench::Bar{KMUX_BAR_GROUP, name, unit, limit, function __VA_OPT__(, ) __VA_ARGS__})

/// CHILD("name", function) registers what a process of a bar's own does (`child_command`).
#define CHILD(name, function) KMUX_BENCH_REGISTER(::kmux::bench::Child{name, function})
