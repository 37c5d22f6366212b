#include "run_request.h"

#include <algorithm>

#include "kmux/bench/binding.h"
#include "kmux/npy.h"
#include "kmux/plugin/word_list.h"

#include "options.h"

namespace kmux::cli {
namespace {

constexpr int kMaxCalls = 1'000'000;  // each stores a time

/// Returns the parameter that --out or --check names.
Result<const Param*> tensor_named(const Program& program, const bench::Inputs& inputs, const std::string& option,
                                  const std::string& name) {
  const Param* const param = find_param(program.signature, name);
  if (param == nullptr || as_buffer(*param) == nullptr) {
    return make_error(ErrorCode::kInvalidArgument,
                      option + " names \"" + name +
                          "\", which is not a tensor of the program. Tensors: " + bench::tensor_names(program) + ".");
  }
  if (is_output(program.signature, name) || inputs.gives(name)) return param;
  return make_error(ErrorCode::kInvalidArgument,
                    option + " names \"" + name + "\", which no --in gives. Add --in " + name + "=SOURCE.");
}

Result<std::vector<OutputTensor>> read_outputs(const Program& program, const bench::Inputs& inputs,
                                               const po::variables_map& arguments, OutputFiles& files) {
  std::vector<OutputTensor> outputs;
  for (const auto& text : values_of(arguments, "out")) {
    KMUX_ASSIGN(auto pair, bench::split_assignment("--out", text));
    KMUX_TRY(tensor_named(program, inputs, "--out", pair.first));
    KMUX_TRY(files.add({"--out", pair.second, OutputKind::kTensor}));
    outputs.push_back({std::move(pair.first), std::move(pair.second)});
  }
  return outputs;
}

/// Returns the output files, with the files that a run reads protected.
OutputFiles files_of(const Program& program, const po::variables_map& arguments) {
  OutputFiles files(arguments);
  files.protect(arguments["program"].as<std::string>(), program);
  for (const std::string option : {"in", "check", "constant"}) {
    for (const std::string& text : values_of(arguments, option)) {
      files.protect("--" + option, text.substr(std::min(text.find('=') + 1, text.size())));
    }
  }
  return files;
}

/// Errors: invalid_argument if `expected` differs from the tensor's shape, if that is known.
Status check_shape(const ExpectedTensor& expected, const Param& param, const bench::Binding& binding) {
  const auto shape = binding.shape_of(param);
  if (!shape || std::ranges::equal(*shape, expected.tensor.shape())) return Ok{};
  const Tensor result = Tensor::borrow(nullptr, *shape, as_buffer(param)->dtype);
  return bench::compare(result, expected.tensor, expected.tolerance).error();
}

Result<std::vector<ExpectedTensor>> read_expected(const Program& program, const bench::Inputs& inputs,
                                                  const bench::Binding& binding, const po::variables_map& arguments) {
  std::vector<ExpectedTensor> all;
  for (const auto& text : values_of(arguments, "check")) {
    KMUX_ASSIGN(auto pair, bench::split_assignment("--check", text));
    KMUX_ASSIGN(const Param* const param, tensor_named(program, inputs, "--check", pair.first));
    const DType dtype = as_buffer(*param)->dtype;
    ExpectedTensor expected{std::move(pair.first), {}, bench::default_tolerance(dtype)};
    KMUX_ASSIGN(expected.tensor, load_npy(pair.second, dtype));
    KMUX_ASSIGN(expected.tolerance.relative, tolerance_option(arguments, "rtol", expected.tolerance.relative));
    KMUX_ASSIGN(expected.tolerance.absolute, tolerance_option(arguments, "atol", expected.tolerance.absolute));
    KMUX_TRY(check_shape(expected, *param, binding));
    all.push_back(std::move(expected));
  }
  return all;
}

constexpr const char* kChecker = "cpu";  // the backend that runs GPU kernels thread by thread

bool has_dialect(const Program& program, std::string_view dialect) {
  return std::ranges::find(program.variants, dialect, &Variant::dialect) != program.variants.end();
}

/// Makes kernels run on the backend that checks every access.
///
/// Errors: invalid_argument if another backend is requested; unsupported for a program without kernels that can be
/// checked.
Status ask_for_checks(const Program& program, CompileOptions& options) {
  if (!options.execution_backend.empty() && options.execution_backend != kChecker) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--check-memory and --backend " + options.execution_backend +
                          " exclude each other (kernels are checked on backend cpu). Leave "
                          "out one of the two.");
  }
  if (!has_dialect(program, "cuda")) {
    std::vector<std::string> dialects;
    dialects.reserve(program.variants.size());
    for (const Variant& variant : program.variants) dialects.push_back(variant.dialect);
    return make_error(ErrorCode::kUnsupported,
                      "program \"" + program.name +
                          "\" cannot run with --check-memory (it checks kernels of dialect cuda; "
                          "the program's variants: " +
                          join(dialects) + "). Add a variant of dialect cuda.");
  }
  options.execution_backend = kChecker;
  options.options["check"] = "on";
  options.options.try_emplace("tier", "fast");  // most of the time is spent in the checks
  return Ok{};
}

}  // namespace

void describe_values(po::options_description& options) {
  using List = std::vector<std::string>;
  auto add = options.add_options();
  add("set,s", po::value<List>()->value_name("NAME=VALUE"),
      "a scalar parameter, or a symbol of the shapes that no file determines (default: the program's example)");
  add("scalar", po::value<List>()->value_name("NAME=VALUE"), "the same, of scalars only");
  add("symbol", po::value<List>()->value_name("NAME=N"), "the same, of symbols only");
}

void describe_constants(po::options_description& options) {
  using List = std::vector<std::string>;
  auto add = options.add_options();
  add("constant", po::value<List>()->value_name("NAME=VALUE"),
      "a constant of the program: numbers with commas, FILE.npy, random:SEED, zeros, ones or arange (default: what the "
      "source gives it, else random)");
}

bench::GivenValues given_values(const po::variables_map& arguments) {
  return {values_of(arguments, "set"), values_of(arguments, "symbol"), values_of(arguments, "scalar")};
}

void describe_run_request(po::options_description& options) {
  using List = std::vector<std::string>;
  describe_selection(options);
  auto add = options.add_options();
  add("in", po::value<List>()->value_name("NAME=SOURCE"),
      "an input: FILE.npy, random:SEED, zeros, ones or arange, or null (an address, a nullable tensor); NAME may be * "
      "for all others. Without any --in every input is random");
  describe_values(options);
  describe_constants(options);
  add("out", po::value<List>()->value_name("NAME=FILE"), "write a tensor as .npy");
  add("check", po::value<List>()->value_name("NAME=FILE"), "compare a tensor with a .npy file");
  add("rtol", po::value<double>()->value_name("X"), "relative tolerance of --check (default: by dtype)");
  add("atol", po::value<double>()->value_name("X"), "absolute tolerance of --check (default: by dtype)");
  add("check-memory", "run kernels of dialect cuda on the cpu and report accesses, races and barriers that are wrong");
  add("time", "time further calls, and print the median and its rate");
  add("repeat", po::value<int>()->value_name("N"),
      "time N further calls (--time: as many as fit in a fifth of a second)");
  describe_force(options);
}

Result<RunRequest> read_run_request(const po::variables_map& arguments) {
  KMUX_ASSIGN(Program read, read_program(arguments));
  auto program = std::make_unique<const Program>(std::move(read));
  bench::Binding binding(*program);
  KMUX_TRY(binding.take(given_values(arguments)));
  KMUX_ASSIGN(bench::Inputs inputs, bench::Inputs::parse(*program, values_of(arguments, "in")));
  inputs.make_up();
  KMUX_ASSIGN(auto constants, bench::ConstantValues::parse(*program, values_of(arguments, "constant")));
  KMUX_TRY(constants.make_up());
  KMUX_ASSIGN(CompileOptions options, compile_options(arguments));
  if (arguments.count("check-memory") != 0) KMUX_TRY(ask_for_checks(*program, options));
  OutputFiles files = files_of(*program, arguments);
  KMUX_ASSIGN(auto outputs, read_outputs(*program, inputs, arguments, files));
  KMUX_ASSIGN(const int repeat, integer_option(arguments, "repeat", 0, 0, kMaxCalls));
  for (const char* tolerance : {"rtol", "atol"}) KMUX_TRY(tolerance_option(arguments, tolerance, 0));
  KMUX_TRY(inputs.load(binding));
  KMUX_TRY(inputs.check(binding));
  KMUX_ASSIGN(auto expected, read_expected(*program, inputs, binding, arguments));
  return RunRequest{.program = std::move(program),
                    .binding = std::move(binding),
                    .inputs = std::move(inputs),
                    .constants = std::move(constants),
                    .options = std::move(options),
                    .outputs = std::move(outputs),
                    .expected = std::move(expected),
                    .repeat = repeat,
                    .is_timed = arguments.count("time") != 0,
                    .files = std::move(files)};
}

}  // namespace kmux::cli
