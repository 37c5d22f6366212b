#include "kmux/jit_core.h"

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/runtime.h"
#include "kmux/validate.h"

#include "jit_state.h"
#include "placement.h"
#include "system/result_guard.h"

namespace kmux {
namespace {

Error thrown(const std::string& name, const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument,
                    "jit function \"" + name + "\" threw an exception (" + what + "). Correct it, or return an error.");
}

/// A wrapper's function is the user's; an exception must not leave a compilation that others wait for.
Result<Program> elaborated(const std::string& name, const JitRequest& request) {
  try {
    return request.elaborate();
  } catch (const Exception& exception) {
    return exception.error();
  } catch (const std::exception& exception) {
    return thrown(name, exception.what());
  } catch (...) {
    return thrown(name, "not a std::exception");
  }
}

std::string tensor_key(const Tensor& tensor) {
  if (!tensor) return "null";
  std::string text = describe(*tensor.dl());
  if (!tensor.is_contiguous()) {
    text += " strides [";
    for (std::int32_t dim = 0; dim < tensor.dl()->ndim; ++dim) {
      text += (dim == 0 ? "" : ", ") + std::to_string(tensor.dl()->strides[dim]);
    }
    text += "]";
  }
  return text + " on " + tensor.device().to_string() + (tensor.is_read_only() ? ", read-only" : "");
}

}  // namespace

Error in_call(Error error, const std::string& key) {
  error.notes.push_back({"config", key});
  return error;
}

Result<std::shared_ptr<Runtime>> runtime_of(const JitOptions& options) {
  return options.runtime ? options.runtime : Runtime::default_runtime();
}

std::string jit_key(std::span<const Tensor> tensors, Json config) {
  Json::Array forms;
  for (const Tensor& tensor : tensors) forms.emplace_back(tensor_key(tensor));
  return dump(Json::Object{{"config", std::move(config)}, {"tensors", std::move(forms)}});
}

Result<JitJob> JitCore::State::job_of(const JitCore& core, Runtime& runtime, const JitRequest& request) const {
  KMUX_ASSIGN(Program program, core.program(request));
  CompileOptions options = placed(compile_options(core.options()), runtime, program, request.tensors);
  std::string key = digest(program) + " " + options.target + " " + std::to_string(options.device.value_or(0));
  return JitJob{std::move(key), {std::move(program), std::move(options)}};
}

void JitCore::State::remember(const JitCore& core, const JitRequest& request, const Kernel& kernel) {
  if (forms.insert(request.form, kernel) || told_of_full_table.exchange(true)) return;
  log(LogLevel::kWarning,
      "jit function \"" + core.options().name + "\" was called in " + std::to_string(FormTable::kMostForms) +
          " forms (no more are kept, so every call in a further one runs the function). Pad shapes.");
}

JitCore::JitCore(JitMode inferred, JitOptions options)
    : inferred_(inferred), options_(std::move(options)), state_(std::make_unique<State>(options_)) {}

JitCore::~JitCore() = default;

FoundKernel JitCore::find(const CallForm& form) const noexcept { return state_->forms.find(form); }

Result<Program> JitCore::program(const JitRequest& request) const {
  KMUX_TRY(initialize());
  Result<Program> program = elaborated(options_.name, request);
  if (!program) return in_call(std::move(program).error(), request.key);
  if (Status valid = check_valid(*program); !valid) return in_call(std::move(valid).error(), request.key);
  return program;
}

Result<Kernel> JitCore::State::compile(const JitCore& core, const JitRequest& request) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, runtime_of(core.options()));
  KMUX_ASSIGN(const JitJob job, job_of(core, *runtime, request));
  const auto make = [&]() -> Result<Kernel> {
    KMUX_TRY(debug_files.write_program(job.job.program, request.key));
    const bool can_wait_for_ever = !request.wait.poll && !request.wait.stop.stop_possible();
    KMUX_ASSIGN(Kernel kernel, can_wait_for_ever
                                   ? kmux::compile(*runtime, job.job.program, job.job.options)
                                   : kmux::compile(*runtime, job.job.program, job.job.options, request.wait));
    KMUX_TRY(debug_files.write_launcher(job.job.program, kernel));
    return kernel;
  };
  Result<Kernel> kernel = kernels.get(job.key, make);
  if (!kernel) return in_call(std::move(kernel).error(), request.key);
  remember(core, request, *kernel);
  return kernel;
}

Result<Kernel> JitCore::compile(const JitRequest& request) {
  return without_bad_alloc([&] { return state_->compile(*this, request); });
}

Result<Outputs> run_jit(const Kernel& kernel, std::span<const Arg> args, StreamRef stream) {
  if (!kernel.signature().outputs.empty()) return kernel.call(args, stream);
  KMUX_TRY(kernel.launch(args, stream));
  return Outputs({});
}

}  // namespace kmux
