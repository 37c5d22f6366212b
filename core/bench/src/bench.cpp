#include "kmux/bench/bench.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <set>

#include "kmux/bench/machine.h"
#include "kmux/dispatch_json.h"
#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "contest.h"
#include "page_sections.h"

namespace kmux::bench {
namespace {

/// Returns the digest of the content of a lock file: the content decides, not its path.
std::string lock_digest(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? sha256_hex(*text) : "";
}

Json json_of(const CompileOptions& options) {
  Json json = Json::Object{{"target", options.target},
                           {"device", std::int64_t{options.device.value_or(0)}},
                           {"options", kmux::to_json(options.options)},
                           {"compile_flags", json_list(options.compile_flags)},
                           {"include_dirs", json_list(options.include_dirs)},
                           {"isolation", options.isolation ? std::string(to_string(*options.isolation)) : ""}};
  if (options.policy) json["policy"] = std::string(to_string(*options.policy));
  if (!options.lock_file.empty()) json["lock"] = lock_digest(options.lock_file);
  return json;
}

/// Omits the duration and the number of measurements: they do not change the measured quantity.
Json json_of(const BenchOptions& options) {
  Json json = Json::Object{{"backends", json_list(options.backends)},
                           {"baseline", options.baseline},
                           {"reference", options.reference},
                           {"inputs", json_list(options.inputs)},
                           {"symbols", json_list(options.values.symbols)},
                           {"scalars", json_list(options.values.scalars)},
                           {"compile", json_of(options.compile)}};
  if (!options.values.set.empty()) json["set"] = json_list(options.values.set);
  if (!options.constants.empty()) json["constants"] = json_list(options.constants);
  if (options.tolerance) json["tolerance"] = Json::Array{options.tolerance->relative, options.tolerance->absolute};
  return json;
}

/// Returns true if the contest was measured by a run, not read from another file.
bool is_measured(const Contest& contest) { return !contest.identity.empty() && contest.origin.empty(); }

/// Returns true if `report` has measured that contest, whether with the same options or with others.
bool has_alike(const BenchReport& report, const Contest& wanted) {
  return std::ranges::any_of(report.contests, [&](const Contest& contest) {
    const bool is_same =
        contest.identity == wanted.identity || (contest.program == wanted.program && contest.label == wanted.label);
    return is_measured(contest) && is_same && contest.point == wanted.point;
  });
}

/// Returns the facts of the measuring machine, which is a named member if other files came from other machines.
const Json& machine_of(const BenchReport& report) {
  const Json* const here = report.machine.find("here");
  return here == nullptr ? report.machine : *here;
}

Error differs(const std::string& what, const Json& then, const Json& now) {
  return make_error(ErrorCode::kInvalidArgument, "what was measured cannot be gone on with (" + what + " is " +
                                                     dump(now) + " here and was " + dump(then) +
                                                     "). Measure anew, and put both into one report with --from.");
}

Status check_alike(const std::string& what, const Json& then, const Json& now) {
  const Json::Object* const facts = now.as_object();
  if (facts == nullptr) return Ok{};
  for (const auto& [key, value] : *facts) {
    const Json* const before = then.find(key);
    if (before != nullptr && *before != value)
      return differs(std::string(what).append("\"").append(key).append("\""), *before, value);
  }
  return Ok{};
}

/// Returns a SHA-256 of the program and the relevant options. Equal for contests that would be measured alike at a
/// point.
std::string identity_of(const Program& program, const BenchOptions& options) {
  return sha256_hex(kmux::to_json(program) + "\n" + dump(json_of(options)));
}

/// Returns the contest of `earlier` that replaces measuring the program at that point, or null.
const Contest* find_measured(const BenchReport& earlier, const Program& program,
                             const std::map<std::string, std::int64_t>& point, const BenchOptions& options) {
  const std::string identity = identity_of(program, options);
  const auto found = std::ranges::find_if(earlier.contests, [&](const Contest& contest) {
    return is_measured(contest) && contest.identity == identity && contest.point == point;
  });
  return found == earlier.contests.end() ? nullptr : &*found;
}

/// Returns `report` with the contests of `earlier` that it lacks, so that no measurement is lost.
BenchReport with_rest(BenchReport report, const BenchReport& earlier) {
  for (const Contest& contest : earlier.contests) {
    if (is_measured(contest) && !has_alike(report, contest)) report.contests.push_back(contest);
  }
  report.runs.insert(report.runs.begin(), earlier.runs.begin(), earlier.runs.end());
  return report;
}

/// Checks that new measurements are comparable with `earlier`.
///
/// Errors: invalid_argument that names the difference, for a report of another machine or other compilers, and for one
///         without a contest that states how it was measured.
Status check_resumable(Runtime& runtime, const BenchReport& earlier, const Json& machine, const BenchOptions& options) {
  if (earlier.contests.empty()) return Ok{};
  BenchReport measured{machine, {}};
  std::ranges::copy_if(earlier.contests, std::back_inserter(measured.contests), is_measured);
  if (measured.contests.empty()) {
    return make_error(
        ErrorCode::kInvalidArgument,
        "no contest of the earlier report states how it was measured (it is of an older kmux, or from other "
        "files). Put it into the report with --from.");
  }
  KMUX_TRY(check_alike("", machine_of(earlier), machine));
  const Json* const toolchains = machine_of(earlier).find("toolchains");
  if (toolchains == nullptr) return Ok{};
  return check_alike("the toolchain of ", *toolchains, toolchains_of(runtime, measured, options));
}

using Point = std::map<std::string, std::int64_t>;

/// Returns every combination of the axes' values.
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

/// Returns "2026-11-30 04:16", in UTC.
std::string date_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

/// Returns the label that tells each program from others of its name: its file, or its number among them; empty for the
/// only program of a name.
std::vector<std::string> labels_of(std::span<const Program> programs, const std::vector<std::string>& files) {
  std::vector<std::string> labels(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (std::ranges::count(programs, programs[i].name, &Program::name) == 1) continue;
    const bool has_file = i < files.size() && std::ranges::count(files, files[i]) == 1;
    const auto number = std::ranges::count(programs.first(i + 1), programs[i].name, &Program::name);
    labels[i] = has_file ? files[i] : std::to_string(number);
  }
  return labels;
}

/// One run: the requested measurements and their results.
class BenchRun {
 public:
  BenchRun(Runtime& runtime, std::span<const Program> programs, const BenchOptions& options,
           const BenchProgress& progress)
      : runtime_(runtime),
        programs_(programs),
        options_(options),
        progress_(progress),
        labels_(labels_of(programs, options.files)),
        points_(points_of(options.axes)),
        all_(programs.size() * points_.size()),
        report_{describe_machine(runtime), {}, {{date_text(std::chrono::system_clock::now()), options.command}}} {}

  /// Checks all inputs before the first contest, since measuring takes long.
  Status check() {
    for (const Program& program : programs_) {
      for (const Point& point : points_) KMUX_TRY(check_contest(runtime_, program, point, options_));
    }
    return check_resumable(runtime_, options_.earlier, report_.machine, options_);
  }

  Result<BenchReport> measure() {
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      for (const Point& point : points_) KMUX_TRY(measure(programs_[i], labels_[i], point));
    }
    return so_far();
  }

 private:
  Status measure(const Program& program, const std::string& label, const Point& point) {
    if (const Contest* const known = find_measured(options_.earlier, program, point, options_)) {
      report_.contests.push_back(*known);
      report_.contests.back().label = label;
      return Ok{};
    }
    Result<Contest> contest = stopped();
    if (!options_.cancel.stop_requested()) contest = hold(program, label, point);
    if (options_.cancel.stop_requested()) return stopped();
    if (!contest) return std::move(contest).error();
    contest->identity = identity_of(program, options_);
    contest->label = label;
    report_.contests.push_back(*std::move(contest));
    if (options_.keep) options_.keep(so_far());
    return Ok{};
  }

  Result<Contest> hold(const Program& program, const std::string& label, const Point& point) {
    const auto all = static_cast<double>(all_);
    const double done = static_cast<double>(report_.contests.size()) / all;
    const std::string title = title_of({.program = program.name, .point = point, .label = label});
    return hold_contest(runtime_, program, point, options_, [&](const std::string& what, double part) {
      if (progress_) progress_(title + ": " + what, done + part / all);
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
  std::vector<std::string> labels_;  // of the programs
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
