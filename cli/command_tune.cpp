#include "kmux/bench/binding.h"
#include "kmux/bench/call_arguments.h"
#include "kmux/kernel.h"
#include "kmux/runtime.h"
#include "kmux/tune.h"

#include "command.h"
#include "output_file.h"
#include "run_request.h"
#include "selection.h"
#include "style.h"

namespace kmux::cli {
namespace {

/// Errors: as `kmux run` without --in.
Result<bench::Binding> bind(const Program& program, const po::variables_map& arguments) {
  bench::Binding binding(program);
  KMUX_TRY(binding.take(given_values(arguments)));
  KMUX_ASSIGN(bench::Inputs inputs, bench::Inputs::parse(program, {}));
  inputs.make_up();
  KMUX_TRY(inputs.check(binding));
  return binding;
}

/// One call in the shapes that are asked for, without memory: to tune takes its own.
///
/// Lifetime: the arguments borrow the tensors.
struct Call {
  std::vector<Tensor> tensors;
  std::vector<Arg> args;
};

Result<Call> make_call(const Program& program, const bench::Binding& binding) {
  Call call;
  for (const Param& param : program.signature.params) {
    if (const ScalarParam* scalar = as_scalar(param)) {
      KMUX_ASSIGN(const Arg value, binding.scalar(param.name, scalar->dtype));
      call.args.push_back(value);
    } else if (const BufferParam* buffer = as_buffer(param)) {
      KMUX_ASSIGN(auto shape, binding.shape_of(param));
      Tensor tensor = Tensor::borrow(nullptr, std::move(shape), buffer->dtype);
      call.args.emplace_back(tensor);
      call.tensors.push_back(std::move(tensor));
    } else {
      call.args.push_back(Arg::pointer(nullptr));  // `tune` says why it cannot
    }
  }
  return call;
}

Report make_report(const Program& program, const Tuning& tuning, const std::string& lock) {
  const TunedCandidate& best = tuning.best();
  Report report{styled(Style::kBold, program.name) + ": " + best.backend + " variant " + std::to_string(best.variant) +
                    " for " + best.target + "\n" + tuning.explain(),
                tuning.to_json()};
  if (!lock.empty()) {
    report.text += "pinned in " + lock + "\n";
    report.json["lock"] = lock;
  }
  return report;
}

Result<Report> run_tune(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const bench::Binding binding, bind(program, arguments));
  KMUX_ASSIGN(const Call call, make_call(program, binding));
  KMUX_ASSIGN(CompileOptions options, compile_options(arguments));
  options.policy = Policy::kMeasured;
  const std::string lock = value_of(arguments, "lock");
  OutputFiles outputs(arguments);
  outputs.protect(arguments["program"].as<std::string>(), program);
  if (arguments.count("lock") != 0) KMUX_TRY(outputs.add({"--lock", lock, OutputKind::kLock}));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const Kernel kernel, compile(*runtime, program, options));
  KMUX_ASSIGN(const Tuning tuning, kernel.tune(call.args, {.again = arguments.count("again") != 0}));
  if (!lock.empty()) KMUX_TRY(pin(lock, program, tuning));
  return make_report(program, tuning, lock);
}

void describe_tune(po::options_description& options) {
  describe_selection(options);
  describe_values(options);
  auto add = options.add_options();
  add("again", "measure although there is a measurement");
  add("lock", po::value<std::string>()->value_name("FILE"), "pin the winner there, for policy pinned");
}

}  // namespace

const Command kTuneCommand{"tune",
                           "measure which backend runs a program fastest, and keep that",
                           "tune PROGRAM [options]",
                           "  kmux tune gemm.kmux.json\n"
                           "  kmux tune gemm.kmux.json --set m=4096 --lock production.lock\n"
                           "  KMUX_POLICY=pinned KMUX_LOCK_FILE=production.lock ./application\n",
                           {"program"},
                           describe_tune,
                           run_tune};

}  // namespace kmux::cli
