// The figures of group `cutedsl`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named. Those of Python are measured by cutedsl/python_bars.py.
//
// bars_cutedsl [--prepare] [BAR...]; with --prepare it only compiles for the cache what machines without CuTe DSL will need.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/process.h"

#include "bar_program.h"
#include "cutedsl/call_bar.h"
#include "cutedsl/export_bar.h"
#include "cutedsl/hit_bar.h"
#include "cutedsl/python_bar.h"
#include "timing.h"

namespace kmux::bench {
namespace {

std::string nothing() { return {}; }

// Where code and data of a process come to lie decides over tens of nanoseconds, and is the same for every call of a process.
constexpr int kProcesses = 9;
constexpr const char* kOnce = "--once";

struct Bar {
  std::string name;
  double (*measure)();
  const char* unit;
  std::string (*missing)() = nothing;  // why it cannot be measured here; empty if it can
  int processes = 1;  // that measure it; their median counts
};

const std::vector<Bar> kBars = {
    {"cutedsl_call_over_raw", cutedsl_call_over_raw, "ns", missing_device, kProcesses},
    {"cutedsl_hit", cutedsl_hit, "ms", missing_cute_dsl},
    {"export_call_over_bare", export_call_over_bare, "ns", missing_host_compiler},
    {"python_cpu_call", python_cpu_call, "ratio", missing_python_cpu_call},
    {"python_over_noop_plus_raw", python_over_noop_plus_raw, "us", missing_python_over_noop_plus_raw},
    {"python_vs_tilelang", python_vs_tilelang, "ratio", missing_python_vs_tilelang},
};

double measure_in_a_process(const Bar& bar) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const ProcessResult result = run({.argv = {self, kOnce, bar.name}}).value();
  const std::string prefix = "bar " + bar.name + " ";
  if (!result.standard_output.starts_with(prefix)) throw std::runtime_error(result.standard_error);
  return std::stod(result.standard_output.substr(prefix.size()));
}

double median_of_processes(const Bar& bar) {
  std::vector<double> values;
  for (int i = 0; i < bar.processes; ++i) values.push_back(measure_in_a_process(bar));
  const auto [least, most] = std::ranges::minmax(values);
  std::fprintf(stderr, "  %.0f to %.0f %s in %d processes\n", least, most, bar.unit, bar.processes);
  return median(std::move(values));
}

bool measure(const Bar& bar, bool once) {
  if (const std::string reason = bar.missing(); !reason.empty()) {
    std::fprintf(stderr, "skipped %s: %s\n", bar.name.c_str(), reason.c_str());
    return true;
  }
  const std::string what = "bars_cutedsl: " + bar.name;
  return told(what.c_str(), [&] {
           const double value = once || bar.processes == 1 ? bar.measure() : median_of_processes(bar);
           return print_bar(bar.name, value, bar.unit), 0;
         }) == 0;
}

int main(std::vector<std::string> names) {
  if (names == std::vector<std::string>{"--prepare"}) return prepare_cutedsl_call(), 0;
  const bool once = std::erase(names, kOnce) > 0;
  bool all_ok = true;
  for (const Bar& bar : kBars) {
    if (is_wanted(names, bar.name)) all_ok = measure(bar, once) && all_ok;
  }
  return all_ok ? 0 : 1;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_cutedsl", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
