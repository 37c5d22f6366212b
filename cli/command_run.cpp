#include <algorithm>
#include <chrono>
#include <numeric>

#include "kmux/bench/assignment.h"
#include "kmux/bench/binding.h"
#include "kmux/bench/comparison.h"
#include "kmux/bench/inputs.h"
#include "kmux/npy.h"

#include "command.h"
#include "selection.h"
#include "style.h"

namespace kmux::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// One run: the program, the arguments of the call and what came out.
struct Run {
  Program program;
  std::vector<Tensor> tensors;  // one a parameter; empty handles for scalars, null tensors and outputs
  std::vector<Arg> args;        // the parameters that are not outputs, in order
  std::vector<Tensor> results;  // as `tensors`, after the call: outputs and buffers that the kernel may have written
};

double nanoseconds(Clock::duration duration) { return std::chrono::duration<double, std::nano>(duration).count(); }

Result<Arg> make_arg(const Param& param, const Tensor& tensor, const bench::Binding& binding) {
  if (as_buffer(param) != nullptr) return Arg(tensor);
  if (const ScalarParam* scalar = as_scalar(param)) return binding.scalar(param.name, scalar->dtype);
  return make_error(ErrorCode::kUnsupported, "parameter \"" + param.name +
                                                 "\" is a raw pointer (the command line has none to give). Call the "
                                                 "program from C++.");
}

/// Makes every argument on the kernel's device.
Status prepare(Run& run, const Kernel& kernel, const bench::Inputs& inputs, const bench::Binding& binding) {
  for (const Param& param : run.program.signature.params) {
    run.tensors.emplace_back();
    if (is_output(run.program.signature, param.name)) continue;
    if (as_buffer(param) != nullptr) {
      KMUX_ASSIGN(const Tensor host, inputs.tensor(param, binding));
      if (host) {
        KMUX_ASSIGN(run.tensors.back(), host.to(kernel.device()));
      }
    }
    KMUX_ASSIGN(Arg arg, make_arg(param, run.tensors.back(), binding));
    run.args.push_back(arg);
  }
  return Ok{};
}

/// Calls once and keeps the results on the host.
Status call(Run& run, const Kernel& kernel) {
  KMUX_ASSIGN(const Outputs outputs, kernel.call(run.args));
  KMUX_TRY(kernel.device().synchronize());
  const Signature& signature = run.program.signature;
  run.results = run.tensors;
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    const auto found = std::ranges::find(signature.outputs, signature.params[i].name);
    if (found != signature.outputs.end()) {
      run.results[i] = outputs[static_cast<std::size_t>(found - signature.outputs.begin())];
    }
    if (run.results[i]) {
      KMUX_ASSIGN(run.results[i], run.results[i].to(Device{}));
    }
  }
  return Ok{};
}

/// The median time of `repeat` further calls, each waited for, of the best code there will be.
Result<double> time_calls(const Run& run, const Kernel& kernel, int repeat) {
  std::vector<double> times;
  KMUX_TRY(kernel.await_best());
  for (int i = 0; i < repeat; ++i) {
    const auto begin = Clock::now();
    KMUX_TRY(kernel.call(run.args));
    KMUX_TRY(kernel.device().synchronize());
    times.push_back(nanoseconds(Clock::now() - begin));
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// The result that --out or --check names.
Result<Tensor> result_named(const Run& run, std::string_view option, const std::string& name) {
  const auto& params = run.program.signature.params;
  const auto found = std::ranges::find(params, name, &Param::name);
  if (found == params.end() || as_buffer(*found) == nullptr) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::string(option) + " names \"" + name +
                          "\", which is no tensor of the program. Tensors: " + bench::tensor_names(run.program) + ".");
  }
  return run.results[static_cast<std::size_t>(found - params.begin())];
}

Status write_outputs(const Run& run, const std::vector<std::string>& assignments) {
  for (const auto& assignment : assignments) {
    KMUX_ASSIGN(const auto pair, bench::split_assignment("--out", assignment));
    KMUX_ASSIGN(const Tensor tensor, result_named(run, "--out", pair.first));
    KMUX_TRY(save_npy(pair.second, tensor));
  }
  return Ok{};
}

struct Check {
  std::string name;
  bench::Comparison comparison;
};

Result<std::vector<Check>> check_outputs(const Run& run, const po::variables_map& arguments) {
  std::vector<Check> checks;
  for (const auto& assignment : values_of(arguments, "check")) {
    KMUX_ASSIGN(const auto pair, bench::split_assignment("--check", assignment));
    KMUX_ASSIGN(const Tensor actual, result_named(run, "--check", pair.first));
    KMUX_ASSIGN(const Tensor expected, load_npy(pair.second, actual.dtype()));
    bench::Tolerance tolerance = bench::default_tolerance(actual.dtype());
    if (arguments.count("rtol") != 0) tolerance.relative = arguments["rtol"].as<double>();
    if (arguments.count("atol") != 0) tolerance.absolute = arguments["atol"].as<double>();
    KMUX_ASSIGN(bench::Comparison comparison, bench::compare(actual, expected, tolerance));
    checks.push_back({pair.first, std::move(comparison)});
  }
  return checks;
}

struct Times {
  double compile_ns = 0;
  double first_call_ns = 0;
  double median_call_ns = 0;  // 0: not asked for
};

std::string results_text(const Run& run) {
  std::string text;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const std::string& name = run.program.signature.params[i].name;
    if (run.results[i] && is_output(run.program.signature, name)) {
      text += "  " + name + "  " + describe(*run.results[i].dl()) + "\n";
    }
  }
  return text;
}

Report make_report(const Run& run, const Kernel& kernel, const Times& times, const std::vector<Check>& checks) {
  Report report;
  report.text = styled(Style::kBold, run.program.name) + " on " + kernel.backend() + " (" + to_string(kernel.target()) +
                ")\n" + results_text(run) + "  ready in " + duration_text(times.compile_ns) + ", first call " +
                duration_text(times.first_call_ns);
  Json::Object json{{"backend", kernel.backend()},
                    {"target", to_string(kernel.target())},
                    {"compile_ns", times.compile_ns},
                    {"first_call_ns", times.first_call_ns},
                    {"resolution", kernel.resolution().to_json()}};
  if (times.median_call_ns > 0) {
    report.text += ", median call " + duration_text(times.median_call_ns);
    json["median_call_ns"] = times.median_call_ns;
  }
  report.text += "\n";
  Json::Object results;
  for (const Check& check : checks) {
    const bool ok = check.comparison.ok();
    report.text += "  " + check.name + ": " + styled(ok ? Style::kGood : Style::kBad, ok ? "correct" : "WRONG") + ", " +
                   check.comparison.text() + "\n";
    results[check.name] = check.comparison.to_json();
    if (!ok) report.code = kCheckFailed;
  }
  json["checks"] = std::move(results);
  report.json = std::move(json);
  return report;
}

Result<bench::Binding> read_binding(const Program& program, const po::variables_map& arguments) {
  bench::Binding binding(program);
  for (const auto& text : values_of(arguments, "symbol")) KMUX_TRY(binding.set_symbol(text));
  for (const auto& text : values_of(arguments, "scalar")) KMUX_TRY(binding.set_scalar(text));
  return binding;
}

Result<Report> run_run(const po::variables_map& arguments) {
  Run run;
  KMUX_ASSIGN(run.program, read_program(arguments));
  KMUX_ASSIGN(bench::Binding binding, read_binding(run.program, arguments));
  KMUX_ASSIGN(bench::Inputs inputs, bench::Inputs::parse(run.program, values_of(arguments, "in")));
  KMUX_TRY(inputs.load(binding));
  KMUX_ASSIGN(const CompileOptions options, compile_options(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  Times times;
  const auto begin = Clock::now();
  KMUX_ASSIGN(const Kernel kernel, compile(*runtime, run.program, options));
  times.compile_ns = nanoseconds(Clock::now() - begin);
  KMUX_TRY(prepare(run, kernel, inputs, binding));
  const auto first = Clock::now();
  KMUX_TRY(call(run, kernel));
  times.first_call_ns = nanoseconds(Clock::now() - first);
  KMUX_ASSIGN(const auto checks, check_outputs(run, arguments));
  KMUX_TRY(write_outputs(run, values_of(arguments, "out")));
  if (const int repeat = arguments["repeat"].as<int>(); repeat > 0) {
    KMUX_ASSIGN(times.median_call_ns, time_calls(run, kernel, repeat));
  }
  return make_report(run, kernel, times, checks);
}

void describe_run(po::options_description& options) {
  using List = std::vector<std::string>;
  describe_selection(options);
  auto add = options.add_options();
  add("in", po::value<List>()->value_name("NAME=SOURCE"),
      "an input: FILE.npy, random:SEED, zeros, ones or arange; NAME may be * for all others");
  add("scalar", po::value<List>()->value_name("NAME=VALUE"), "a scalar parameter");
  add("symbol", po::value<List>()->value_name("NAME=N"), "a symbol of the shapes, where no file says it");
  add("out", po::value<List>()->value_name("NAME=FILE"), "write a tensor as .npy");
  add("check", po::value<List>()->value_name("NAME=FILE"), "compare a tensor with a .npy file");
  add("rtol", po::value<double>()->value_name("X"), "relative tolerance of --check (default: by dtype)");
  add("atol", po::value<double>()->value_name("X"), "absolute tolerance of --check (default: by dtype)");
  add("repeat", po::value<int>()->value_name("N")->default_value(0, "0"), "time N further calls");
}

}  // namespace

const Command kRunCommand{"run",
                          "compile a program, call it on tensors, write and check the results",
                          "run PROGRAM --in NAME=SOURCE... [options]",
                          "  kmux run gemm.kmux.json --in A=a.npy --in B=b.npy --out C=c.npy\n"
                          "  kmux run scale.kmux.json --in X=random:1 --symbol n=4096 --scalar s=1.5 --repeat 100\n"
                          "  kmux run gemm.kmux.json --in A=a.npy --in B=b.npy --check C=ref.npy --rtol 1e-4\n",
                          {"program"},
                          describe_run,
                          run_run};

}  // namespace kmux::cli
