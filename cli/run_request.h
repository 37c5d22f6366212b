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

/// A tensor that is written when the kernel has been called.
struct OutputTensor {
  std::string name;
  std::string file;
};

/// A tensor that must be as a file has it.
struct ExpectedTensor {
  std::string name;
  Tensor tensor;
  bench::Tolerance tolerance;
};

/// The command line of `kmux run`, parsed.
struct RunRequest {
  std::unique_ptr<const Program> program;  // where it is does not change: the next three refer to it
  bench::Binding binding;
  bench::Inputs inputs;
  bench::ConstantValues constants;
  CompileOptions options;
  std::vector<OutputTensor> outputs;
  std::vector<ExpectedTensor> expected;
  int repeat = 0;  // further calls that are timed
  bool is_timed = false;  // is the rate asked for?
  OutputFiles files;  // all that is written, `outputs` among them
};

/// Adds --set, --symbol and --scalar.
void describe_values(po::options_description& options);

/// Adds --constant.
void describe_constants(po::options_description& options);

/// What those three give.
bench::GivenValues given_values(const po::variables_map& arguments);

/// Adds the options of `kmux run`.
void describe_run_request(po::options_description& options);

/// Reads the command line and every file that it names, so that nothing is compiled, called or written for a wrong one.
///
/// Errors: invalid_argument for a word that fits neither the program nor the others, and for a file that cannot be read or
///         written.
Result<RunRequest> read_run_request(const po::variables_map& arguments);

}  // namespace kmux::cli
