// The figures of group `bench`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure.
#include <array>

#include "bar_program.h"
#include "report/report_bar.h"
#include "report/trace_bar.h"
#include "report/verdict_bars.h"

namespace {

using namespace kmux::bench;  // NOLINT(google-build-using-namespace): a main

constexpr int kProcesses = 9;

const std::array<Bar, 4> kBars = {{
    {"verdict_false_alarm", verdict_false_alarm, "part"},
    {"verdict_detects_5pct", verdict_detects_5pct, "part"},
    {"trace_off_ns", trace_off_ns, "ns", nothing, kProcesses},
    {"report_kib", report_kib, "KiB"},
}};

}  // namespace

int main(int argc, char** argv) { return measure_bars("bars_bench", kBars, {argv + 1, argv + argc}); }
