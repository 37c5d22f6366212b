#include <algorithm>
#include <array>

#include "kmux/bench/assignment.h"
#include "kmux/bench/bench.h"
#include "kmux/bench/binding.h"
#include "kmux/bench/report_file.h"
#include "kmux/bench/report_html.h"
#include "kmux/bench/report_text.h"
#include "kmux/file_io.h"
#include "kmux/program.h"
#include "kmux/words.h"

#include "bench_bar.h"
#include "command.h"
#include "number_option.h"
#include "output_file.h"
#include "selection.h"
#include "terminal.h"
#include "threshold.h"

namespace kmux::cli {
namespace {

constexpr double kMostSeconds = 1e6;
constexpr int kMostRepetitions = 10'000;
constexpr std::array<const char*, 3> kReports = {"json", "csv", "html"};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string text_option(const po::variables_map& arguments, const std::string& name) {
  return arguments.count(name) == 0 ? "" : arguments[name].as<std::string>();
}

Result<bench::Axis> read_axis(const std::string& text) {
  KMUX_ASSIGN(const auto pair, bench::split_assignment("--axis", text));
  bench::Axis axis{pair.first, {}};
  for (const std::string& word : split(pair.second)) {
    const auto value = bench::parse_integer(word);
    if (!value) {
      return make_error(ErrorCode::kInvalidArgument,
                        "\"" + word + "\" is no integer (--axis " + pair.first + "). Write --axis n=1024,4096.");
    }
    axis.values.push_back(*value);
  }
  return axis;
}

/// What results may differ by, where --rtol or --atol is given: the other is 0.
Result<std::optional<bench::Tolerance>> read_tolerance(const po::variables_map& arguments) {
  if (arguments.count("rtol") + arguments.count("atol") == 0) return std::optional<bench::Tolerance>();
  bench::Tolerance tolerance;
  KMUX_ASSIGN(tolerance.relative, tolerance_option(arguments, "rtol", 0));
  KMUX_ASSIGN(tolerance.absolute, tolerance_option(arguments, "atol", 0));
  return std::optional(tolerance);
}

/// The backends that take part; empty for all of them.
Result<std::vector<std::string>> backends_option(const po::variables_map& arguments) {
  const std::string text = arguments["backends"].as<std::string>();
  if (text == "all") return std::vector<std::string>();
  std::vector<std::string> backends = split(text);
  if (!backends.empty()) return backends;
  return make_error(ErrorCode::kInvalidArgument, "--backends names none. Write --backends A,B or --backends all.");
}

Result<bench::BenchOptions> bench_options(const po::variables_map& arguments) {
  bench::BenchOptions options;
  KMUX_ASSIGN(options.backends, backends_option(arguments));
  options.baseline = text_option(arguments, "baseline");
  options.reference = text_option(arguments, "reference");
  for (const std::string& text : values_of(arguments, "axis")) {
    KMUX_ASSIGN(bench::Axis axis, read_axis(text));
    options.axes.push_back(std::move(axis));
  }
  if (const auto inputs = values_of(arguments, "in"); !inputs.empty()) options.inputs = inputs;
  options.symbols = values_of(arguments, "symbol");
  options.scalars = values_of(arguments, "scalar");
  KMUX_ASSIGN(const double seconds, number_option(arguments, "time", 0, kMostSeconds));
  options.stop.time = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
  KMUX_ASSIGN(options.repetitions, integer_option(arguments, "repetitions", 1, 1, kMostRepetitions));
  KMUX_ASSIGN(options.tolerance, read_tolerance(arguments));
  KMUX_ASSIGN(options.compile, compile_options(arguments));
  return options;
}

Status write_reports(const bench::BenchReport& report, const po::variables_map& arguments) {
  if (arguments.count("json") != 0)
    KMUX_TRY(write_file(text_option(arguments, "json"), dump(to_json(report), 1) + "\n"));
  if (arguments.count("csv") != 0) KMUX_TRY(write_file(text_option(arguments, "csv"), bench::csv_of(report)));
  if (arguments.count("html") != 0) KMUX_TRY(write_file(text_option(arguments, "html"), bench::html_of(report)));
  return Ok{};
}

/// What is measured now.
Result<bench::BenchReport> measured(const po::variables_map& arguments) {
  KMUX_ASSIGN(const bench::BenchOptions options, bench_options(arguments));
  std::vector<Program> programs;
  for (const std::string& path : values_of(arguments, "program")) {
    KMUX_ASSIGN(Program program, load_program(path));
    programs.push_back(std::move(program));
  }
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  if (!can_draw_on_stderr()) return bench::bench(*runtime, programs, options);
  BenchBar bar(write_to_stderr, width_of_stderr);
  return bench::bench(*runtime, programs, options, [&](const std::string& what, double part) { bar.show(what, part); });
}

/// What is measured now and what was measured before.
Result<bench::BenchReport> all_reports(const po::variables_map& arguments) {
  std::vector<bench::NamedReport> reports;
  for (const std::string& path : values_of(arguments, "from")) {
    KMUX_ASSIGN(bench::NamedReport earlier, bench::load_report(path));
    reports.push_back(std::move(earlier));
  }
  if (arguments.count("program") != 0) {
    KMUX_ASSIGN(bench::BenchReport report, measured(arguments));
    reports.insert(reports.begin(), {"", std::move(report)});
  }
  return bench::join_reports(std::move(reports));
}

Result<Report> run_bench(const po::variables_map& arguments) {
  KMUX_ASSIGN(const std::vector<Threshold> thresholds, read_thresholds(values_of(arguments, "fail-if")));
  for (const std::string report : kReports) {
    if (arguments.count(report) != 0) KMUX_TRY(check_output_file("--" + report, text_option(arguments, report)));
  }
  KMUX_ASSIGN(const bench::BenchReport all, all_reports(arguments));
  KMUX_TRY(write_reports(all, arguments));
  Report report{bench::text_of(all), to_json(all)};
  const std::vector<std::string> breaches = breaches_of(all, thresholds);
  for (const std::string& breach : breaches) report.text += breach + "\n";
  if (!breaches.empty()) report.code = kCheckFailed;
  return report;
}

void describe_bench(po::options_description& options) {
  using List = std::vector<std::string>;
  describe_selection(options);
  auto add = options.add_options();
  add("backends", po::value<std::string>()->value_name("A,B")->default_value("all"), "which take part");
  add("baseline", po::value<std::string>()->value_name("A"),
      "what the others are compared with (default: auto's choice)");
  add("reference", po::value<std::string>()->value_name("A"),
      "whose results are right (default: the host's, else the baseline)");
  add("axis", po::value<List>()->value_name("N=1,2,3"), "measure at each of these values of a symbol; repeatable");
  add("in", po::value<List>()->value_name("NAME=SOURCE"), "an input, as in run (default: *=random:1)");
  add("symbol", po::value<List>()->value_name("NAME=N"), "a symbol of the shapes");
  add("scalar", po::value<List>()->value_name("NAME=VALUE"), "a scalar parameter");
  add("rtol", po::value<double>()->value_name("X"), "relative tolerance of results (default: by dtype)");
  add("atol", po::value<double>()->value_name("X"), "absolute tolerance of results (default: by dtype)");
  add("time", po::value<double>()->value_name("SECONDS")->default_value(2, "2"), "the most that one column may take");
  add("repetitions", po::value<int>()->value_name("N")->default_value(3, "3"), "how often each backend compiles");
  add("from", po::value<List>()->value_name("FILE"),
      "report of that, too: JSON of an earlier --json, or of a program of Google Benchmark; repeatable");
  add("json", po::value<std::string>()->value_name("FILE"), "write everything, samples included");
  add("csv", po::value<std::string>()->value_name("FILE"), "write a line for each column");
  add("html", po::value<std::string>()->value_name("FILE"), "write a page with tables and pictures");
  add("fail-if", po::value<List>()->value_name("slower:5%"),
      "exit with 1 if a backend is surely slower than the baseline by more than that; also wrong, failed");
}

}  // namespace

const Command kBenchCommand{"bench",
                            "measure backends against each other, with a verdict",
                            "bench PROGRAM... [options] | bench --from FILE... [options]",
                            "  kmux bench gemm.kmux.json --html report.html\n"
                            "  kmux bench scale.kmux.json --axis n=1024,65536,1048576 --baseline nvrtc\n"
                            "  kmux bench *.kmux.json --backends nvrtc,cuda --fail-if slower:5% --fail-if wrong\n"
                            "  kmux bench --from run.json --from launch.json --html report.html\n",
                            {"program"},
                            describe_bench,
                            run_bench,
                            true,
                            "from"};

}  // namespace kmux::cli
