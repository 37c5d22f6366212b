// The figures of group `cutedsl`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named. Those of Python are measured by cutedsl/python_bars.py.
//
// bars_cutedsl [--prepare] [BAR...]; with --prepare it only compiles for the cache what machines without CuTe DSL will need.
#include <string>
#include <vector>

#include "bar_program.h"
#include "cutedsl/call_bar.h"
#include "cutedsl/export_bar.h"
#include "cutedsl/hit_bar.h"
#include "python_bar.h"

namespace kmux::bench {
namespace {

constexpr int kProcesses = 9;

const std::vector<Bar> kBars = {
    {"cutedsl_call_over_raw", cutedsl_call_over_raw, "ns", missing_device, kProcesses},
    {"cutedsl_call_ratio", cutedsl_call_ratio, "ratio", missing_device, kProcesses},
    {"cutedsl_hit", cutedsl_hit, "ms", missing_cute_dsl},
    {"export_call_over_bare", export_call_over_bare, "ns", missing_host_compiler},
    python_bar<"python_cpu_call">("ratio"),
    python_bar<"python_over_noop_plus_raw">("us"),
    python_bar<"python_vs_tilelang">("ratio"),
};

int main(std::vector<std::string> names) {
  if (names == std::vector<std::string>{"--prepare"}) return prepare_cutedsl_call(), 0;
  return measure_bars("bars_cutedsl", kBars, std::move(names));
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_cutedsl", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
