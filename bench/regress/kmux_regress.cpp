// Checks for regressions: compares ratios to work of the same kind with the baseline of this class of machines.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

#include <boost/program_options.hpp>

#include "kmux/bench/binding.h"

#include "regress/case_process.h"
#include "regress/regress_check.h"
#include "regress/regress_report.h"

namespace kmux::regress {
namespace {

namespace po = boost::program_options;
using Names = std::vector<std::string>;

po::options_description described() {
  po::options_description options("kmux_regress: compares with the baseline of this class of machines");
  auto add = options.add_options();
  add("update", "measure the baseline anew instead");
  add("case", po::value<Names>()->value_name("NAME"), "only this case; repeatable");
  add("baselines", po::value<std::string>()->value_name("FOLDER")->default_value(KMUX_REGRESS_BASELINES),
      "where they are");
  add("burden", po::value<Names>()->value_name("NAME=FACTOR"),
      "repeat the work of a case, to test the check; repeatable");
  add("measure", po::value<std::string>()->value_name("NAME"), "measure one case in this process and print its ratio");
  add("help,h", "this text");
  return options;
}

Names values_of(const po::variables_map& arguments, const char* name) {
  return arguments.count(name) == 0 ? Names() : arguments[name].as<Names>();
}

/// Checks that a sample repeats the work a whole number of times.
Status check_burden(const RegressCase& regress_case, double factor) {
  const double times = regress_case.work_times * factor;
  if (std::abs(times - std::round(times)) < 1e-6) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "case \"" + regress_case.name +
                                                     "\" cannot bear that burden (a sample does its work " +
                                                     std::to_string(regress_case.work_times) +
                                                     " times). Name a factor that makes a whole number of it.");
}

Result<Burdens> burdens_of(const po::variables_map& arguments) {
  Burdens burdens;
  for (const std::string& text : values_of(arguments, "burden")) {
    KMUX_ASSIGN(const auto assignment, bench::split_assignment("--burden", text));
    const auto& [name, value] = assignment;
    char* end = nullptr;
    const double factor = std::strtod(value.c_str(), &end);
    if (!(factor > 0 && factor <= 100) || *end != '\0') {
      return make_error(ErrorCode::kInvalidArgument,
                        "the burden \"" + text + "\" is not NAME=FACTOR (a factor up to 100). Correct it.");
    }
    KMUX_ASSIGN(const RegressCase* const burdened, find_case(name));
    KMUX_TRY(check_burden(*burdened, factor));
    burdens[burdened->name] = factor;
  }
  return burdens;
}

Result<Cases> cases_of(const po::variables_map& arguments) {
  Cases cases;
  for (const std::string& name : values_of(arguments, "case")) {
    KMUX_ASSIGN(const RegressCase* const found, find_case(name));
    cases.push_back(found);
  }
  if (!cases.empty()) return cases;
  for (const RegressCase& regress_case : regress_cases()) cases.push_back(&regress_case);
  return cases;
}

MeasureCase measuring(const Burdens& burdens) {
  return [burdens](const RegressCase& regress_case) {
    std::fprintf(stderr, "kmux_regress: measuring %s\n", regress_case.name.c_str());
    return measure_in_process(regress_case, burdens);
  };
}

/// Updates the baseline. Cases that are not measured keep their ratios.
Result<ExitCode> update(const std::filesystem::path& folder, const Cases& cases, const MeasureCase& measure) {
  const MachineClass machine = this_machine_class();
  Result<std::optional<Baseline>> before = read_baseline(folder, machine);
  if (cases.size() < regress_cases().size()) KMUX_TRY(before);  // all cases replace any baseline
  KMUX_ASSIGN(Baseline baseline, measure_baseline(cases, machine, measure));
  const bool keeps = before && *before && cases.size() < regress_cases().size();
  if (keeps) baseline.cases.merge((*before)->cases);
  KMUX_ASSIGN(const std::filesystem::path file, write_baseline(folder, baseline));
  std::printf("wrote %s (%zu cases). Commit it.\n", file.c_str(), baseline.cases.size());
  return ExitCode::kPassed;
}

Result<ExitCode> check(const std::filesystem::path& folder, const Cases& cases, const MeasureCase& measure) {
  const MachineClass machine = this_machine_class();
  KMUX_ASSIGN(const std::optional<Baseline> baseline, read_baseline(folder, machine));
  if (!baseline) {
    std::fputs(no_baseline_text(folder, machine).c_str(), stderr);
    return ExitCode::kNoBaseline;
  }
  KMUX_ASSIGN(const std::vector<CaseResult> results, check_cases(cases, *baseline, measure));
  std::fputs(report_text(results).c_str(), stdout);
  return exit_code_of(results);
}

Result<ExitCode> run(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Burdens burdens, burdens_of(arguments));
  if (arguments.count("measure") != 0) {
    KMUX_ASSIGN(const RegressCase* const measured, find_case(arguments["measure"].as<std::string>()));
    KMUX_TRY(measure_here(*measured, burdens));
    return ExitCode::kPassed;
  }
  KMUX_ASSIGN(const Cases cases, cases_of(arguments));
  const std::filesystem::path folder = arguments["baselines"].as<std::string>();
  return (arguments.count("update") != 0 ? update : check)(folder, cases, measuring(burdens));
}

Result<ExitCode> main(int argc, char** argv) {
  const po::options_description options = described();
  po::variables_map arguments;
  try {
    po::store(po::command_line_parser(argc, argv).options(options).positional({}).run(), arguments);
  } catch (const po::error& failure) {
    return make_error(ErrorCode::kInvalidArgument, std::string(failure.what()) + ". See --help.");
  }
  if (arguments.count("help") == 0) return run(arguments);
  std::puts((std::ostringstream() << options).str().c_str());
  return ExitCode::kPassed;
}

}  // namespace
}  // namespace kmux::regress

int main(int argc, char** argv) {
  using namespace kmux::regress;  // NOLINT(google-build-using-namespace): a main
  try {
    const auto code = kmux::regress::main(argc, argv);
    if (code) return static_cast<int>(*code);
    std::fprintf(stderr, "kmux_regress: %s\n", code.error().explain().c_str());
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "kmux_regress: %s\n", failure.what());
  }
  return static_cast<int>(ExitCode::kFailed);
}
