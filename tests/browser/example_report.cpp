// Writes the JSON of a report that has all that a page can show: three backends that are told apart, one that is wrong, one that
// is not there, an axis, rates, drift, and launchers that share most of their lines.

#include <cstdio>

#include "bench/reports.h"

namespace kmux::bench {
namespace {

std::string launcher_of(const std::string& name) {
  std::string text = "// launches " + name + "\n";
  for (int i = 0; i < 200; ++i) text += "  check(arguments[" + std::to_string(i) + "] != nullptr && \"<shared>\");\n";
  return text + "  return launch_" + name + "(arguments);\n";
}

Contest full_contest(const std::string& program, std::int64_t n) {
  Contest contest = contest_at(n);
  contest.program = program;
  Entrant third = contest.entrants[1];
  third.backend = "third:option=with_a_long_value";
  third.verdicts = {{Column::kDeviceHot, {Verdict::kAmbiguous, {1.02, 0.97, 1.05}, 40}}};
  contest.entrants.insert(contest.entrants.begin() + 2, third);
  contest.entrants.push_back(
      {.backend = "absent", .target = {}, .tier = {}, .state = EntrantState::kUnavailable, .problem = "no device"});
  const std::string& name = third.backend;
  contest.pairs[Column::kDeviceHot] = {{"slow", "quick", {Verdict::kSlower, {2, 1.92, 2.08}, 40}},
                                       {"slow", name, {Verdict::kAmbiguous, {0.98, 0.95, 1.03}, 40}},
                                       {"quick", name, {Verdict::kFaster, {0.5, 0.45, 0.53}, 40}}};
  contest.pairs[Column::kEndToEnd] = contest.pairs[Column::kDeviceHot];
  for (Entrant& entrant : contest.entrants) {
    if (entrant.state == EntrantState::kTimed) entrant.launcher = launcher_of(program + "_on_" + entrant.backend);
  }
  return contest;
}

}  // namespace
}  // namespace kmux::bench

int main() {
  using kmux::bench::full_contest;
  kmux::bench::BenchReport report = kmux::bench::report_example();
  report.contests = {full_contest("scale", 1024), full_contest("scale", 4096),
                     full_contest("a_program_with_a_name_that_is_long", 1024)};
  std::puts(kmux::dump(to_json(report)).c_str());
}
