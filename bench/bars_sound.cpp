// The figures of group `sound`: a line each, "bar NAME VALUE UNIT". They take minutes and print progress to stderr.
//
// bars_sound [BAR...]; the other two of the group, tsan_reports and asan_reports, are what ./kmux.sh sanitize ends with.
#include <array>
#include <string>
#include <vector>

#include "bar_program.h"
#include "sound/exit_deaths.h"
#include "sound/redis_loaded_hit_ratio.h"
#include "sound/stale_steps_wrong.h"
#include "sound/thread_start_faults_hung.h"

namespace kmux::bench {
namespace {

const std::array<Bar, 4> kBars = {{
    {"exit_deaths", exit_deaths, "processes"},
    {"thread_start_faults_hung", thread_start_faults_hung, "processes"},
    {"stale_steps_wrong", stale_steps_wrong, "steps"},
    {"redis_loaded_hit_ratio", redis_loaded_hit_ratio, "of 1"},
}};

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  using namespace kmux::bench;
  return told("bars_sound", [&] { return measure_bars("bars_sound", kBars, {argv + 1, argv + argc}); });
}
