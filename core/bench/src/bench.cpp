#include "kmux/bench/bench.h"

#include <algorithm>
#include <set>

#include "kmux/bench/contest.h"
#include "kmux/bench/machine.h"

#include "contest_title.h"
#include "toolchains.h"

namespace kmux::bench {
namespace {

using Point = std::map<std::string, std::int64_t>;

/// Every combination of the axes' values.
std::vector<Point> points_of(const std::vector<Axis>& axes) {
  std::vector<Point> points = {{}};
  for (const Axis& axis : axes) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::int64_t value : axis.values) {
        longer.push_back(point);
        longer.back()[axis.name] = value;
      }
    }
    points = std::move(longer);
  }
  return points;
}

Status check_axes(const std::vector<Axis>& axes) {
  std::set<std::string> names;
  for (const Axis& axis : axes) {
    if (axis.values.empty() || !names.insert(axis.name).second) {
      return make_error(ErrorCode::kInvalidArgument,
                        "axis \"" + axis.name +
                            "\" has no value, or is given twice. Write it once, with values "
                            "as in n=1024,4096.");
    }
  }
  return Ok{};
}

}  // namespace

Result<BenchReport> bench(Runtime& runtime, std::span<const Program> programs, const BenchOptions& options,
                          const BenchProgress& progress) {
  KMUX_TRY(check_axes(options.axes));
  const std::vector<Point> points = points_of(options.axes);
  for (const Program& program : programs) {  // all of them before the first is measured, which takes long
    for (const Point& point : points) KMUX_TRY(check_contest(runtime, program, point, options));
  }
  BenchReport report{describe_machine(runtime), {}};
  const auto all = static_cast<double>(programs.size() * points.size());
  for (const Program& program : programs) {
    for (const Point& point : points) {
      const double done = static_cast<double>(report.contests.size()) / all;
      const auto tell = [&](const std::string& what, double part) {
        if (progress) progress(title_of({.program = program.name, .point = point}) + ": " + what, done + part / all);
      };
      KMUX_ASSIGN(Contest contest, hold_contest(runtime, program, point, options, tell));
      report.contests.push_back(std::move(contest));
    }
  }
  report.machine["toolchains"] = toolchains_of(runtime, report, options);
  return report;
}

}  // namespace kmux::bench
