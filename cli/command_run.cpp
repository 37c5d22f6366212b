#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <numeric>

#include "kmux/npy.h"
#include "kmux/plugin/signal_blocked.h"
#include "kmux/plugin/word_list.h"
#include "kmux/runtime.h"
#include "kmux/trace.h"

#include "base/duration_text.h"
#include "command.h"
#include "crash_note.h"
#include "run_request.h"
#include "style.h"

namespace kmux::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// One run: the request, the arguments of the call and its results.
struct Run {
  RunRequest request;
  std::vector<Tensor> tensors = {};  // one a parameter; empty handles for scalars, null tensors and outputs
  std::vector<Arg> args = {};        // the parameters that are not outputs, in order
  std::vector<Tensor> results =
      {};  // as `tensors`, after the call: outputs and buffers that the kernel may have written
  std::vector<Arg> launch_args = {};  // one a parameter, including the outputs of the first call
  std::vector<Tensor> outputs = {};   // owns the tensors of those
};

double nanoseconds(Clock::duration duration) { return std::chrono::duration<double, std::nano>(duration).count(); }

Result<Arg> make_arg(const Param& param, const Tensor& tensor, const RunRequest& request) {
  if (as_buffer(param) != nullptr) return Arg(tensor);
  if (const ScalarParam* scalar = as_scalar(param)) return request.binding.scalar(param.name, scalar->dtype);
  if (request.inputs.gives_null(param.name)) return Arg::pointer(nullptr);
  return make_error(ErrorCode::kUnsupported,
                    "parameter \"" + param.name +
                        "\" is a raw pointer (the command line has none to give but null). Give "
                        "--in " +
                        param.name + "=null, or call the program from C++ or Python.");
}

/// Creates every argument on the kernel's device.
Status prepare(Run& run, const Kernel& kernel) {
  const RunRequest& request = run.request;
  for (const Param& param : request.program->signature.params) {
    run.tensors.emplace_back();
    if (is_output(request.program->signature, param.name)) continue;
    if (as_buffer(param) != nullptr) {
      KMUX_ASSIGN(const Tensor host, request.inputs.tensor(param, request.binding));
      if (host) {
        KMUX_ASSIGN(run.tensors.back(), host.to(kernel.device()));
      }
    }
    KMUX_ASSIGN(Arg arg, make_arg(param, run.tensors.back(), request));
    run.args.push_back(arg);
  }
  return Ok{};
}

/// Calls once and copies the results to the host.
Status call(Run& run, const Kernel& kernel) {
  KMUX_ASSIGN(const Outputs outputs, kernel.call(run.args));
  KMUX_TRY(kernel.device().synchronize());
  const Signature& signature = run.request.program->signature;
  run.results = run.tensors;
  auto given = run.args.begin();
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    const auto found = std::ranges::find(signature.outputs, signature.params[i].name);
    if (found != signature.outputs.end()) {
      run.results[i] = outputs[static_cast<std::size_t>(found - signature.outputs.begin())];
      run.outputs.push_back(run.results[i]);
      run.launch_args.emplace_back(run.results[i]);
    } else {
      run.launch_args.push_back(*given++);
    }
    if (run.results[i]) {
      KMUX_ASSIGN(run.results[i], run.results[i].to(Device{}));
    }
  }
  return Ok{};
}

struct Times {
  double compile_ns = 0;
  double first_call_ns = 0;
  double median_call_ns = 0;  // 0: not requested
  std::size_t calls = 0;      // number of timed calls
};

/// Measures the median time of further synchronous calls of the final code. They reuse the first call's outputs, so
/// that no time is spent on new memory.
Status time_calls(const Run& run, const Kernel& kernel, Times& result) {
  constexpr std::size_t kLeast = 5;
  constexpr std::size_t kMost = 1000;
  constexpr std::chrono::milliseconds kEnough(200);
  std::vector<double> times;
  KMUX_TRY(kernel.await_best());
  const auto is_enough = [&, first = Clock::now()] {
    if (run.request.repeat > 0) return times.size() == static_cast<std::size_t>(run.request.repeat);
    return times.size() == kMost || (times.size() >= kLeast && Clock::now() - first > kEnough);
  };
  while (!is_enough()) {
    const auto begin = Clock::now();
    KMUX_TRY(kernel.launch(run.launch_args));
    KMUX_TRY(kernel.device().synchronize());
    times.push_back(nanoseconds(Clock::now() - begin));
  }
  std::ranges::sort(times);
  result.median_call_ns = times[times.size() / 2];
  result.calls = times.size();
  return Ok{};
}

const Tensor& result_named(const Run& run, const std::string& name) {
  const auto found = std::ranges::find(run.request.program->signature.params, name, &Param::name);
  return run.results[static_cast<std::size_t>(found - run.request.program->signature.params.begin())];
}

Status write_outputs(const Run& run) {
  for (const OutputTensor& output : run.request.outputs) {
    KMUX_TRY(save_npy(output.file, result_named(run, output.name)));
  }
  return Ok{};
}

struct Check {
  std::string name;
  bench::Comparison comparison;
};

Result<std::vector<Check>> check_outputs(const Run& run) {
  std::vector<Check> checks;
  for (const ExpectedTensor& expected : run.request.expected) {
    KMUX_ASSIGN(bench::Comparison comparison,
                bench::compare(result_named(run, expected.name), expected.tensor, expected.tolerance));
    checks.push_back({expected.name, std::move(comparison)});
  }
  return checks;
}

std::string results_text(const Run& run) {
  std::string text;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const std::string& name = run.request.program->signature.params[i].name;
    const BufferParam* const buffer = as_buffer(run.request.program->signature.params[i]);
    if (run.results[i] && (buffer->inout || is_output(run.request.program->signature, name))) {
      text += "  " + name + "  " + describe(*run.results[i].dl()) + "\n";
    }
  }
  return text;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  return text.data();
}

/// Prints values that were not given, so that the caller notices which call was made.
std::string examples_text(const std::map<std::string, double>& examples) {
  std::vector<std::string> values;
  values.reserve(examples.size());
  for (const auto& [name, value] : examples) values.push_back(name + " = " + number_text(value));
  return join(values);
}

/// Returns the generated tensors and constants, in the form of options.
std::vector<std::string> all_made_up(const Run& run) {
  std::vector<std::string> all = run.request.inputs.made_up();
  const std::vector<std::string>& constants = run.request.constants.made_up();
  all.insert(all.end(), constants.begin(), constants.end());
  return all;
}

/// Returns the note for stderr about generated values: all that the caller did not give, and how to give them.
std::string made_up_text(const Run& run, const std::map<std::string, double>& examples) {
  const std::vector<std::string> made_up = all_made_up(run);
  if (made_up.empty()) return "";
  std::string notice = "made up: " + join(made_up);
  std::string option = run.request.inputs.made_up().empty() ? "--constant " : "--in ";
  option += made_up.front().substr(0, made_up.front().find('=')) + "=FILE.npy";
  if (!examples.empty()) {
    const std::vector<Symbol>& symbols = run.request.program->signature.symbols;
    const auto symbol = std::ranges::find_if(symbols, [&](const Symbol& one) { return examples.contains(one.name); });
    option += " and --set " + (symbol == symbols.end() ? examples.begin()->first : symbol->name) + "=VALUE";
    notice += "; examples of the program: " + examples_text(examples);
  }
  return notice + ". Give your own with " + option + ".";
}

/// Returns the bytes that a call moves: as declared by the program, else those of its tensors, counting modified ones
/// twice. Units: bytes.
double bytes_of(const Run& run) {
  const Program& program = *run.request.program;
  if (const auto& declared = program.metadata.bytes) {
    if (const auto value = run.request.binding.evaluate(*declared)) return static_cast<double>(*value);
  }
  double bytes = 0;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    if (!run.results[i]) continue;
    const int times = as_buffer(program.signature.params[i])->inout ? 2 : 1;
    bytes += times * static_cast<double>(run.results[i].byte_count());
  }
  return bytes;
}

std::string rate_text(double value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(),
                value < 10     ? ", %.2f %s"
                : value < 1000 ? ", %.1f %s"
                               : ", %.0f %s",
                value, unit);
  return text.data();
}

/// Returns the median and the number of calls; with --time the rates, too. Adds the same to `json`.
std::string times_text(const Run& run, const Times& times, Json& json) {
  if (times.calls == 0) return "";
  json["median_call_ns"] = times.median_call_ns;
  if (!run.request.is_timed) return ", median call " + duration_text(times.median_call_ns);
  const double bytes = bytes_of(run);
  std::string text =
      "\n  " + duration_text(times.median_call_ns) + " a call (median of " + std::to_string(times.calls) +
      ", each waited for)" + rate_text(bytes / times.median_call_ns, "GB/s") + " of " +
      bytes_text(static_cast<std::uint64_t>(bytes)) + (run.request.program->metadata.bytes ? "" : " of tensors");
  json["timed_calls"] = static_cast<std::int64_t>(times.calls);
  json["bytes_a_call"] = bytes;
  if (const auto& declared = run.request.program->metadata.flops) {
    if (const auto flops = run.request.binding.evaluate(*declared)) {
      text += rate_text(static_cast<double>(*flops) / times.median_call_ns, "GFLOP/s");
      json["flops_a_call"] = *flops;
    }
  }
  return text;
}

/// Returns the variant that ran, if the program has several.
std::string variant_text(const Run& run, const Kernel& kernel) {
  const std::size_t count = run.request.program->variants.size();
  return count < 2 ? "" : ", variant " + std::to_string(kernel.variant()) + " of 0 to " + std::to_string(count - 1);
}

Report make_report(const Run& run, const Kernel& kernel, const Times& times, const std::vector<Check>& checks) {
  Report report;
  const std::map<std::string, double> examples = run.request.binding.examples();
  report.text = styled(Style::kBold, run.request.program->name) + " on " + kernel.backend() + " (" +
                to_string(kernel.target()) + ")" + variant_text(run, kernel) + "\n" + results_text(run);
  report.notice = made_up_text(run, examples);
  if (!examples.empty() && report.notice.empty()) {
    report.text += "  with the program's example values: " + examples_text(examples) + "\n";
  }
  report.text += "  ready in " + duration_text(times.compile_ns) + ", first call " + duration_text(times.first_call_ns);
  Json json = Json::Object{{"backend", kernel.backend()},
                           {"target", to_string(kernel.target())},
                           {"variant", kernel.variant()},
                           {"compile_ns", times.compile_ns},
                           {"first_call_ns", times.first_call_ns},
                           {"examples", Json::Object(examples.begin(), examples.end())},
                           {"made_up", json_list(all_made_up(run))},
                           {"resolution", kernel.resolution().to_json()}};
  report.text += times_text(run, times, json) + "\n";
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

/// An invalid memory access of a kernel on the host ends this process, at once or when the memory is freed.
void expect_crash(const Run& run, const Kernel& kernel) {
  if (!kernel.device().is_host()) return;
  const std::vector<std::string> made_up = all_made_up(run);
  note_on_crash("kmux: error: kernel \"" + run.request.program->name +
                "\" ended this process (it reads or writes outside of its memory" +
                (made_up.empty() ? "" : ", perhaps because of values that are made up: " + join(made_up)) +
                "). Run it with --check-memory, which names thread and line" +
                (made_up.empty() ? "" : ", or give values of your own") + ".\n");
}

/// Compiles, calls, checks and writes.
///
/// Errors: those of each step; nothing is written before the kernel has been called.
Result<Report> run(RunRequest request) {
  Run run{.request = std::move(request)};
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  Times times;
  const auto begin = Clock::now();
  KMUX_ASSIGN(const Kernel kernel, compile(*runtime, *run.request.program, run.request.options));
  times.compile_ns = nanoseconds(Clock::now() - begin);
  KMUX_TRY(prepare(run, kernel));
  KMUX_TRY(run.request.constants.set(kernel));
  expect_crash(run, kernel);
  const auto first = Clock::now();
  KMUX_TRY(call(run, kernel));
  times.first_call_ns = nanoseconds(Clock::now() - first);
  KMUX_ASSIGN(const auto checks, check_outputs(run));
  KMUX_TRY(write_outputs(run));
  if (run.request.repeat > 0 || run.request.is_timed) KMUX_TRY(time_calls(run, kernel, times));
  return make_report(run, kernel, times, checks);
}

Result<Report> run_run(const po::variables_map& arguments) {
  KMUX_ASSIGN(RunRequest request, read_run_request(arguments));
  return run(std::move(request));
}

constexpr const char* kFile = "trace";

Status write_trace(const std::string& path, const Trace& trace) {
  const SignalBlocked blocked(SIGXFSZ);
  std::ofstream file(path, std::ios::binary);
  trace.write_to(file);
  file << '\n';
  file.close();
  if (file) return Ok{};
  return make_error(ErrorCode::kUnavailable, "the trace cannot be written to \"" + path +
                                                 "\" (no such folder, or no space). Name another file.");
}

Result<Report> run_trace(const po::variables_map& arguments) {
  const auto path = arguments[kFile].as<std::string>();
  KMUX_ASSIGN(RunRequest request, read_run_request(arguments));  // an invalid request leaves no trace
  KMUX_TRY(request.files.add({"--trace", path, OutputKind::kTrace}));
  start_trace();
  Result<Report> report = run(std::move(request));
  KMUX_TRY(write_trace(path, stop_trace()));  // also after a failed run
  if (!report) return report;
  report->text += "  trace: " + path + " (open it at ui.perfetto.dev)\n";
  report->json["trace"] = path;
  return report;
}

void describe_trace(po::options_description& options) {
  describe_run_request(options);
  options.add_options()(kFile, po::value<std::string>()->value_name("FILE")->default_value("kmux-trace.json"),
                        "where to write the trace");
}

}  // namespace

const Command kRunCommand{"run",
                          "compile a program, call it on tensors, write and check the results",
                          "run PROGRAM [--in NAME=SOURCE...] [options]",
                          "  kmux run saxpy.cu --set n=1000000 --time\n"
                          "  kmux run gemm.kmux.json --in A=a.npy --in B=b.npy --out C=c.npy\n"
                          "  kmux run scale.kmux.json --in X=random:1 --set n=4096 --set s=1.5 --repeat 100\n"
                          "  kmux run gemm.kmux.json --in A=a.npy --in B=b.npy --check C=ref.npy --rtol 1e-4\n",
                          {"program"},
                          describe_run_request,
                          run_run};

const Command kTraceCommand{"trace",
                            "run a program and write what took how long, for Perfetto or chrome://tracing",
                            "trace PROGRAM --in NAME=SOURCE... [options of run] [--trace FILE]",
                            "  kmux trace gemm.kmux.json --in A=random:1 --in B=random:2 --repeat 20\n"
                            "  KMUX_TRACE=trace.json ./application      (the same for any program that uses kmux)\n",
                            {"program"},
                            describe_trace,
                            run_trace};

}  // namespace kmux::cli
