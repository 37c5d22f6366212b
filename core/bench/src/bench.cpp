#include "kmux/bench/bench.h"

#include <algorithm>
#include <set>

#include "kmux/bench/contest.h"
#include "kmux/bench/machine.h"

#include "contest_section.h"
#include "resume.h"
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

/// One run: what is to be measured, and what is.
class BenchRun {
 public:
  BenchRun(Runtime& runtime, std::span<const Program> programs, const BenchOptions& options,
           const BenchProgress& progress)
      : runtime_(runtime),
        programs_(programs),
        options_(options),
        progress_(progress),
        points_(points_of(options.axes)),
        all_(programs.size() * points_.size()),
        report_{describe_machine(runtime), {}} {}

  /// All words, before the first contest is measured, which takes long.
  Status check() {
    for (const Program& program : programs_) {
      for (const Point& point : points_) KMUX_TRY(check_contest(runtime_, program, point, options_));
    }
    return check_resumable(runtime_, options_.earlier, report_.machine, options_);
  }

  Result<BenchReport> measure() {
    for (const Program& program : programs_) {
      for (const Point& point : points_) KMUX_TRY(measure(program, point));
    }
    return so_far();
  }

 private:
  Status measure(const Program& program, const Point& point) {
    if (const Contest* const known = find_measured(options_.earlier, program, point, options_)) {
      report_.contests.push_back(*known);
      return Ok{};
    }
    Result<Contest> contest = stopped();
    if (!options_.cancel.stop_requested()) contest = hold(program, point);
    if (options_.cancel.stop_requested()) return stopped();
    if (!contest) return std::move(contest).error();
    contest->identity = identity_of(program, options_);
    report_.contests.push_back(*std::move(contest));
    if (options_.keep) options_.keep(so_far());
    return Ok{};
  }

  Result<Contest> hold(const Program& program, const Point& point) {
    const auto all = static_cast<double>(all_);
    const double done = static_cast<double>(report_.contests.size()) / all;
    return hold_contest(runtime_, program, point, options_, [&](const std::string& what, double part) {
      if (progress_) progress_(title_of({.program = program.name, .point = point}) + ": " + what, done + part / all);
    });
  }

  BenchReport so_far() {
    BenchReport all = with_rest(report_, options_.earlier);
    all.machine["toolchains"] = toolchains_of(runtime_, all, options_);
    if (report_.contests.size() < all_) all.machine["unfinished"] = count();
    return all;
  }

  std::string count() const {
    return std::to_string(report_.contests.size()) + " of " + std::to_string(all_) + " contests";
  }
  Error stopped() const { return make_error(ErrorCode::kUnavailable, "the benchmark was stopped (" + count() + ")."); }

  Runtime& runtime_;
  std::span<const Program> programs_;
  const BenchOptions& options_;
  const BenchProgress& progress_;
  std::vector<Point> points_;
  std::size_t all_;
  BenchReport report_;
};

}  // namespace

Result<BenchReport> bench(Runtime& runtime, std::span<const Program> programs, const BenchOptions& options,
                          const BenchProgress& progress) {
  KMUX_TRY(check_axes(options.axes));
  BenchRun run(runtime, programs, options, progress);
  KMUX_TRY(run.check());
  return run.measure();
}

}  // namespace kmux::bench
