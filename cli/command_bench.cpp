#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/bench/binding.h"
#include "kmux/bench/report_file.h"
#include "kmux/launch_interrupt.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "command.h"
#include "interrupt.h"
#include "options.h"
#include "output_file.h"
#include "program_input.h"
#include "progress_view.h"
#include "run_request.h"
#include "style.h"

namespace kmux::cli {
namespace {

/// The output files of `kmux bench`, written during the run: if it is stopped, killed or fails, earlier results are
/// kept.
class ReportKeeper {
 public:
  /// `beside` is added to every file, after the measured contests.
  ReportKeeper(const po::variables_map& arguments, std::vector<bench::NamedReport> beside);

  /// Stores the results so far, and writes them unless writing would exceed a twentieth of the time.
  void keep(const bench::BenchReport& so_far);
  /// Stores the final results.
  void take(bench::BenchReport report) { measured_ = std::move(report); }
  /// Writes the stored results.
  ///
  /// Errors: those of writing.
  Status write();
  /// Returns the stored results with those of `beside`.
  bench::BenchReport report() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string json_;  // paths; empty: none
  std::string csv_;
  std::string html_;
  std::vector<bench::NamedReport> beside_;
  std::optional<bench::BenchReport> measured_ = {};
  Clock::time_point next_ = {};
};

ReportKeeper::ReportKeeper(const po::variables_map& arguments, std::vector<bench::NamedReport> beside)
    : json_(value_of(arguments, "json")),
      csv_(value_of(arguments, "csv")),
      html_(value_of(arguments, "html")),
      beside_(std::move(beside)) {}

void ReportKeeper::keep(const bench::BenchReport& so_far) {
  constexpr int kPause = 20;  // multiple of the time that writing took
  measured_ = so_far;
  const Clock::time_point begin = Clock::now();
  if (begin < next_) return;
  static_cast<void>(write());  // the final write reports a failure
  const Clock::time_point end = Clock::now();
  next_ = end + kPause * (end - begin);
}

bench::BenchReport ReportKeeper::report() const {
  std::vector<bench::NamedReport> all;
  if (measured_) all.push_back({"", *measured_});
  all.insert(all.end(), beside_.begin(), beside_.end());
  return bench::join_reports(std::move(all));
}

Status ReportKeeper::write() {
  const bench::BenchReport all = report();
  if (!json_.empty()) KMUX_TRY(write_file(json_, document_text(to_json(all), 1) + "\n"));
  if (!csv_.empty()) KMUX_TRY(write_file(csv_, bench::csv_of(all)));
  if (!html_.empty()) KMUX_TRY(write_file(html_, bench::html_of(all)));
  return Ok{};
}

constexpr double kMaxSeconds = 1e6;
constexpr int kMaxRepetitions = 10'000;

struct ReportOption {
  const char* name;
  OutputKind kind;
};
constexpr std::array<ReportOption, 3> kReports = {
    {{"json", OutputKind::kReport}, {"csv", OutputKind::kCsv}, {"html", OutputKind::kPage}}};

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
                        "\"" + word + "\" is not an integer (--axis " + pair.first + "). Write --axis n=1024,4096.");
    }
    axis.values.push_back(*value);
  }
  return axis;
}

/// Returns the tolerance of results if --rtol or --atol is given: the other is 0.
Result<std::optional<bench::Tolerance>> read_tolerance(const po::variables_map& arguments) {
  if (arguments.count("rtol") + arguments.count("atol") == 0) return std::optional<bench::Tolerance>();
  bench::Tolerance tolerance;
  KMUX_ASSIGN(tolerance.relative, tolerance_option(arguments, "rtol", 0));
  KMUX_ASSIGN(tolerance.absolute, tolerance_option(arguments, "atol", 0));
  return std::optional(tolerance);
}

/// Returns the backends that take part; empty for all. --backend, common to all commands, names one.
Result<std::vector<std::string>> backends_option(const po::variables_map& arguments) {
  const std::string one = text_option(arguments, "backend");
  if (!one.empty() && !arguments["backends"].defaulted()) {
    return make_error(ErrorCode::kInvalidArgument, "--backend and --backends are given. Give --backends alone.");
  }
  const std::string text = one.empty() ? arguments["backends"].as<std::string>() : one;
  if (text == "all") return std::vector<std::string>();
  std::vector<std::string> backends = split(text);
  if (!backends.empty()) return backends;
  return make_error(ErrorCode::kInvalidArgument, "--backends names none. Write --backends A,B or --backends all.");
}

Result<bench::BenchOptions> bench_options(const po::variables_map& arguments) {
  bench::BenchOptions options;
  KMUX_ASSIGN(options.backends, backends_option(arguments));
  options.files = values_of(arguments, "program");
  options.command = command_line();
  options.baseline = text_option(arguments, "baseline");
  options.reference = text_option(arguments, "reference");
  for (const std::string& text : values_of(arguments, "axis")) {
    KMUX_ASSIGN(bench::Axis axis, read_axis(text));
    options.axes.push_back(std::move(axis));
  }
  if (const auto inputs = values_of(arguments, "in"); !inputs.empty()) options.inputs = inputs;
  options.values = given_values(arguments);
  options.constants = values_of(arguments, "constant");
  KMUX_ASSIGN(const double seconds, number_option(arguments, "time", 0, kMaxSeconds));
  options.stop.time = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
  KMUX_ASSIGN(options.repetitions, integer_option(arguments, "repetitions", 1, 1, kMaxRepetitions));
  KMUX_ASSIGN(options.tolerance, read_tolerance(arguments));
  KMUX_ASSIGN(options.compile, compile_options(arguments));
  options.compile.execution_backend.clear();  // replaced by `backends`
  return options;
}

Result<std::vector<Program>> load_programs(const po::variables_map& arguments) {
  std::vector<Program> programs;
  for (const std::string& path : values_of(arguments, "program")) {
    KMUX_ASSIGN(Program program, load_given_program(path));
    programs.push_back(std::move(program));
  }
  return programs;
}

Status check_outputs(const po::variables_map& arguments, const std::vector<Program>& programs) {
  OutputFiles outputs(arguments);
  const std::vector<std::string> paths = values_of(arguments, "program");
  for (std::size_t i = 0; i < programs.size(); ++i) outputs.protect(paths[i], programs[i]);
  for (const std::string option : {"in", "constant"}) {
    for (const std::string& text : values_of(arguments, option)) {
      outputs.protect("--" + option, text.substr(std::min(text.find('=') + 1, text.size())));
    }
  }
  for (const auto& [name, kind] : kReports) {
    if (arguments.count(name) != 0)
      KMUX_TRY(outputs.add({std::string("--") + name, text_option(arguments, name), kind}));
  }
  return Ok{};
}

Result<std::vector<bench::NamedReport>> load_reports(const std::vector<std::string>& paths) {
  std::vector<bench::NamedReport> reports;
  for (const std::string& path : paths) {
    KMUX_ASSIGN(bench::NamedReport earlier, bench::load_report(path));
    reports.push_back(std::move(earlier));
  }
  return reports;
}

/// The parsed command line; nothing has been measured yet.
struct BenchRequest {
  std::vector<Threshold> thresholds;
  bench::BenchOptions options;
  std::vector<Program> programs;
  std::vector<bench::NamedReport> beside;
};

Status check_bench(const po::variables_map& arguments) {
  if (arguments.count("resume") == 0 || arguments.count("program") != 0) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "--resume has nothing to go on with (no program is given). Name the programs of that run.");
}

Result<BenchRequest> read_request(const po::variables_map& arguments) {
  BenchRequest request;
  KMUX_ASSIGN(request.thresholds, read_thresholds(values_of(arguments, "fail-if")));
  KMUX_ASSIGN(request.options, bench_options(arguments));
  KMUX_ASSIGN(request.programs, load_programs(arguments));
  KMUX_TRY(check_outputs(arguments, request.programs));
  KMUX_ASSIGN(request.beside, load_reports(values_of(arguments, "from")));
  if (arguments.count("resume") == 0) return request;
  KMUX_ASSIGN(bench::NamedReport earlier, bench::load_report(text_option(arguments, "resume")));
  request.options.earlier = std::move(earlier.report);
  return request;
}

Result<bench::BenchReport> measure(const BenchRequest& request) {
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  if (!can_draw_on_stderr()) return bench::bench(*runtime, request.programs, request.options);
  BenchBar bar(write_to_stderr, width_of_stderr);
  return bench::bench(*runtime, request.programs, request.options,
                      [&](const std::string& what, double part) { bar.show(what, part); });
}

Report report_of(const bench::BenchReport& all, const BenchRequest& request) {
  Report report{bench::text_of(all), to_json(all)};
  const GateResult gate = gate_of(all, request.thresholds, request.options.backends);
  for (const std::string& problem : gate.problems) report.text += problem + "\n";
  report.code = gate.code;
  return report;
}

/// Returns the report of a run that ended early, and prints the reason to stderr.
Report unfinished_report(Report report, const Error& error, int signal) {
  std::cerr << error_report(error);
  report.code = signal != 0 ? kInterrupted : exit_code(error.code);
  return report;
}

Result<Report> run_bench(const po::variables_map& arguments) {
  const Interrupt interrupt;  // before any thread starts, since threads inherit the blocked signals
  KMUX_ASSIGN(BenchRequest request, read_request(arguments));
  ReportKeeper keeper(arguments, std::move(request.beside));
  request.options.cancel = interrupt.token();
  set_launch_interrupt([token = interrupt.token()] { return token.stop_requested(); });
  bool has_measured = false;
  request.options.keep = [&](const bench::BenchReport& so_far) {
    has_measured = true;
    keeper.keep(so_far);
  };
  std::optional<Error> error;
  if (!request.programs.empty()) {
    Result<bench::BenchReport> measured = measure(request);
    if (measured) {
      keeper.take(*std::move(measured));
    } else {
      error = std::move(measured).error();
    }
  }
  if (error && !has_measured) {  // files of an earlier run stay unchanged
    if (interrupt.signal() == 0) return *std::move(error);
    return unfinished_report({}, *error, interrupt.signal());
  }
  KMUX_TRY(keeper.write());
  Report report = report_of(keeper.report(), request);
  if (!error) return report;
  const std::string json = text_option(arguments, "json");
  error->message +=
      json.empty() ? " With --json FILE one could go on from there." : " Go on with --resume " + json + ".";
  return unfinished_report(std::move(report), *error, interrupt.signal());
}

void describe_bench(po::options_description& options) {
  using List = std::vector<std::string>;
  describe_selection(options);
  auto add = options.add_options();
  add("backends", po::value<std::string>()->value_name("A,B")->default_value("all"),
      "which take part: NAME, NAME#VARIANT, NAME:OPTION=VALUE");
  add("baseline", po::value<std::string>()->value_name("A"),
      "what the others are compared with (default: auto's choice)");
  add("reference", po::value<std::string>()->value_name("A"),
      "whose results are right (default: the host's, else the baseline)");
  add("axis", po::value<List>()->value_name("N=1,2,3"), "measure at each of these values of a symbol; repeatable");
  add("in", po::value<List>()->value_name("NAME=SOURCE"), "an input, as in run (default: *=random:1)");
  describe_values(options);
  describe_constants(options);
  add("rtol", po::value<double>()->value_name("X"), "relative tolerance of results (default: by dtype)");
  add("atol", po::value<double>()->value_name("X"), "absolute tolerance of results (default: by dtype)");
  add("time", po::value<double>()->value_name("SECONDS")->default_value(2, "2"), "the most that one column may take");
  add("repetitions", po::value<int>()->value_name("N")->default_value(3, "3"), "how often each backend compiles");
  add("from", po::value<List>()->value_name("FILE"),
      "report of that, too: JSON of an earlier --json, or of a program of Google Benchmark; repeatable");
  add("resume", po::value<std::string>()->value_name("FILE"),
      "go on with a run that was stopped: take what its --json has and measure the rest");
  add("json", po::value<std::string>()->value_name("FILE"), "write everything, samples included");
  add("csv", po::value<std::string>()->value_name("FILE"), "write a line for each column");
  add("html", po::value<std::string>()->value_name("FILE"), "write a page with tables and pictures");
  describe_force(options);
  add("fail-if", po::value<List>()->value_name("slower:5%"),
      "exit with 1 if a backend is surely slower than the baseline by more than that; also wrong, failed. With 4 if "
      "nothing "
      "was compared");
}

}  // namespace

const Command kBenchCommand{"bench",
                            "measure backends against each other, with a verdict",
                            "bench PROGRAM... [options] | bench --from FILE... [options]",
                            "  kmux bench gemm.kmux.json --html report.html\n"
                            "  kmux bench scale.kmux.json --axis n=1024,65536,1048576 --baseline nvrtc\n"
                            "  kmux bench *.kmux.json --backends nvrtc,cuda --fail-if slower:5% --fail-if wrong\n"
                            "  kmux bench *.kmux.json --json run.json --resume run.json   (after Ctrl-C, say)\n"
                            "  kmux bench --from run.json --from launch.json --html report.html\n",
                            {"program"},
                            describe_bench,
                            run_bench,
                            true,
                            "from",
                            check_bench};

}  // namespace kmux::cli
