#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/bench/binding.h"
#include "kmux/bench/call_arguments.h"
#include "kmux/bench/comparison.h"
#include "kmux/compile.h"

#include "command.h"
#include "output_file.h"

namespace kmux::cli {

/// A tensor to write after the call.
struct OutputTensor {
  std::string name;
  std::string file;
};

/// A tensor and its expected content from a file.
struct ExpectedTensor {
  std::string name;
  Tensor tensor;
  bench::Tolerance tolerance;
};

/// The command line of `kmux run`, parsed.
struct RunRequest {
  std::unique_ptr<const Program> program;  // must not move: the next three refer to it
  bench::Binding binding;
  bench::Inputs inputs;
  bench::ConstantValues constants;
  CompileOptions options;
  std::vector<OutputTensor> outputs;
  std::vector<ExpectedTensor> expected;
  int repeat = 0;  // number of further, timed calls
  bool is_timed = false;  // the rate is requested
  OutputFiles files;  // all output files, including `outputs`
};

/// Adds --set, --symbol and --scalar.
void describe_values(po::options_description& options);

/// Adds --constant.
void describe_constants(po::options_description& options);

/// Returns the values of --set, --symbol and --scalar.
bench::GivenValues given_values(const po::variables_map& arguments);

/// Adds the options of `kmux run`.
void describe_run_request(po::options_description& options);

/// Parses the command line and reads every file that it names, so that an invalid one is found before anything is
/// compiled, called or written.
///
/// Errors: invalid_argument for an option that does not fit the program or the other options, and for a file that
///         cannot be read or written.
Result<RunRequest> read_run_request(const po::variables_map& arguments);

}  // namespace kmux::cli
