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

/// Adds what says which backend compiles how: --backend --target --device --option --flag --no-cache
/// --isolation --compile-timeout --include.
void describe_compilation(po::options_description& options);

/// The same, with --policy and --lock-file.
void describe_selection(po::options_description& options);

/// The same, but -o is left to the command.
void describe_selection_without_o(po::options_description& options);

/// The program that the command line names; "-" is the one on the standard input.
Result<Program> read_program(const po::variables_map& arguments);

/// The options of a compile.
///
/// Errors: invalid_argument for an --option without '=', or a --device or --compile-timeout that is negative or too large.
Result<CompileOptions> compile_options(const po::variables_map& arguments);

/// The request of a resolve alone.
Result<ResolveRequest> resolve_request(const po::variables_map& arguments, Purpose purpose);

/// That nothing here runs the program, and what was taken; empty if that is not so, or if backend or target were named.
std::string notice_of(const Resolution& resolution);

/// The value of an option; empty if it was not given.
std::string value_of(const po::variables_map& arguments, const std::string& name);

/// The values of a repeatable option; empty if it was not given.
std::vector<std::string> values_of(const po::variables_map& arguments, const std::string& name);

/// The integer that --`name` gives, or `otherwise` where it is not given.
///
/// Errors: invalid_argument for one below `least` or above `most`.
template <class Integer>
Result<Integer> integer_option(const po::variables_map& arguments, const std::string& name, Integer otherwise,
                               Integer least, Integer most);

/// The number that --`name` gives, or `otherwise` where it is not given.
///
/// Errors: invalid_argument for one below 0 or above `most`, for infinity and for nan.
Result<double> number_option(const po::variables_map& arguments, const std::string& name, double otherwise,
                             double most);

/// As `number_option`, for what results may differ by.
Result<double> tolerance_option(const po::variables_map& arguments, const std::string& name, double otherwise);

// bench_gate.cpp

/// What `kmux bench` fails for: "slower:5%", "wrong", "failed".
struct Threshold {
  enum class Kind { kSlower, kWrong, kFailed };
  Kind kind = Kind::kSlower;
  double part = 0;  // 0.05 of 5 %
};

/// Errors: invalid_argument that shows the forms.
Result<std::vector<Threshold>> read_thresholds(const std::vector<std::string>& texts);

/// Why a benchmark does not pass: a sentence for each reason, and how the command ends.
struct GateResult {
  std::vector<std::string> problems;
  ExitCode code = kSuccess;
};

/// Judges a report. Breaches of `thresholds` end with kCheckFailed; slower is what surely is: the whole interval of the ratio
/// lies above the threshold. Without a breach these end with kNotHere: nothing was timed; a backend of `named` cannot run; a
/// contest in which nothing was compared that a threshold is about.
///
/// `named`: the backends that the command line names one by one. Contests that were read from other files count only where
/// nothing was measured.
GateResult gate_of(const bench::BenchReport& report, const std::vector<Threshold>& thresholds,
                   const std::vector<std::string>& named);

}  // namespace kmux::cli
