#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/compile.h"
#include "kmux/error.h"
#include "kmux/program.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

#include "command.h"

namespace kmux::cli {

/// Adds the options that select a backend and its compilation: --backend --target --device --option --flag --no-cache
/// --isolation --compile-timeout --include.
void describe_compilation(po::options_description& options);

/// Same, with --policy and --lock-file.
void describe_selection(po::options_description& options);

/// Same, but leaves -o to the command.
void describe_selection_without_o(po::options_description& options);

/// Reads the program that the command line names; "-" is the standard input.
Result<Program> read_program(const po::variables_map& arguments);

/// Returns the options of a compilation.
///
/// Errors: invalid_argument for an --option without '=', an invalid --device or --compile-timeout (negative or too
///         large), an unknown --isolation or --policy, and a --lock-file that the policy does not read.
Result<CompileOptions> compile_options(const po::variables_map& arguments);

/// Returns the note that nothing here runs the program, with the chosen backend; empty if the program can run, or if a
/// backend or target was named.
std::string notice_of(const Resolution& resolution);

/// Returns the value of an option; empty if not given.
std::string value_of(const po::variables_map& arguments, const std::string& name);

/// Returns the values of a repeatable option; empty if not given.
std::vector<std::string> values_of(const po::variables_map& arguments, const std::string& name);

/// Returns the integer given by --`name`, or `otherwise` if not given.
///
/// Errors: invalid_argument for one below `least` or above `most`.
template <class Integer>
Result<Integer> integer_option(const po::variables_map& arguments, const std::string& name, Integer otherwise,
                               Integer least, Integer most);

/// Returns the number given by --`name`, or `otherwise` if not given.
///
/// Errors: invalid_argument for one below 0 or above `most`, for infinity and for nan.
Result<double> number_option(const po::variables_map& arguments, const std::string& name, double otherwise,
                             double most);

/// Like `number_option`, for a tolerance of results.
Result<double> tolerance_option(const po::variables_map& arguments, const std::string& name, double otherwise);

// bench_gate.cpp

/// A failure condition of `kmux bench`: "slower:5%", "wrong", "failed".
struct Threshold {
  enum class Kind { kSlower, kWrong, kFailed };
  Kind kind = Kind::kSlower;
  double part = 0;  // 0.05 for 5 %
};

/// Errors: invalid_argument that shows the valid forms.
Result<std::vector<Threshold>> read_thresholds(const std::vector<std::string>& texts);

/// The reasons why a benchmark fails, a sentence each, and the exit code.
struct GateResult {
  std::vector<std::string> problems;
  ExitCode code = kSuccess;
};

/// Judges a report. A breach of `thresholds` returns kCheckFailed; slower requires the whole interval of the ratio to
/// be above the threshold. Without a breach, missing data returns kNotHere: nothing was timed, a backend of `named`
/// cannot run, or a contest has no comparison for a threshold.
///
/// `named`: the backends that the command line names individually. Contests read from other files count only if nothing
/// was measured.
GateResult gate_of(const bench::BenchReport& report, const std::vector<Threshold>& thresholds,
                   const std::vector<std::string>& named);

}  // namespace kmux::cli
