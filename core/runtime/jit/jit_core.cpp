#include "kmux/jit_core.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/guarded.h"
#include "kmux/log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/validate.h"

#include "jit_state.h"
#include "placement.h"
#include "pool/job_end.h"

namespace kmux {
namespace {

constexpr std::size_t kDebugDigits = 12;

Status make_folders(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure) return Ok{};
  return make_error(ErrorCode::kUnavailable, "folder '" + folder.string() + "' cannot be made (" + failure.message() +
                                                 "). Give another debug_root_path.");
}

Error thrown(const std::string& name, const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument,
                    "jit function \"" + name + "\" threw an exception (" + what + "). Correct it, or return an error.");
}

/// Runs the user's function. Its exceptions become errors: they must not leave a compilation that other threads joined.
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

/// Returns the job that `request` compiles.
Result<JitJob> job_of(const JitCore& core, const Runtime& runtime, const JitRequest& request) {
  KMUX_ASSIGN(Program program, core.program(request));
  CompileOptions options =
      placed(core.compile_options(), runtime.environment(), runtime.registry(), program, request.tensors);
  std::string key = digest(program) + " " + options.target + " " + std::to_string(options.device.value_or(0));
  return JitJob{std::move(key), {std::move(program), std::move(options)}};
}

Result<Shared<Runtime>> runtime_of(const JitOptions& options) {
  return options.runtime ? options.runtime : Runtime::default_runtime();
}

}  // namespace

std::filesystem::path DebugFiles::folder_of(const Program& program) const {
  return root_ / (program.name + "-" + digest(program).substr(0, kDebugDigits));
}

Status DebugFiles::write_program(const Program& program, const std::string& config) const {
  if (root_.empty()) return Ok{};
  const std::filesystem::path folder = folder_of(program);
  KMUX_TRY(make_folders(folder / "program"));
  KMUX_TRY(save_program(program, folder / "program" / (program.name + ".kmux.json")));
  if (!function_.empty()) KMUX_TRY(write_file(folder / "function.txt", function_));
  return write_file(folder / "config.json", config + "\n");
}

Status DebugFiles::write_launcher(const Program& program, const Kernel& kernel) const {
  if (root_.empty()) return Ok{};
  return write_file(folder_of(program) / ("launcher-" + kernel.backend() + ".txt"), kernel.launcher());
}

Error in_call(Error error, const std::string& key) {
  error.notes.push_back({"config", key});
  return error;
}

std::string jit_key(std::span<const Tensor> tensors, Json config) {
  Json::Array forms;
  for (const Tensor& tensor : tensors) forms.emplace_back(tensor_key(tensor));
  return dump(Json::Object{{"config", std::move(config)}, {"tensors", std::move(forms)}});
}

void JitCore::State::remember(const JitCore& core, const JitRequest& request, const Kernel& kernel) {
  if (forms.insert(request.form, kernel) || told_of_full_table.exchange(true)) return;
  log(LogLevel::kWarning, "jit function \"" + core.options().name + "\" was called in " +
                              std::to_string(FormTable::kMaxForms) +
                              " forms (no more are cached: a call in any other runs the function). Pad shapes.");
}

JitCore::JitCore(JitMode inferred, CompileOptions compile, JitOptions options)
    : inferred_(inferred),
      compile_(std::move(compile)),
      options_(std::move(options)),
      state_(std::make_unique<State>(options_)) {}

JitCore::~JitCore() = default;

FoundKernel JitCore::find(const CallForm& form) const noexcept { return state_->forms.find(form); }

Result<Program> JitCore::program(const JitRequest& request) const {
  return guarded([&]() -> Result<Program> {
    KMUX_TRY(initialize());
    Result<Program> program = elaborated(options_.name, request);
    if (!program) return in_call(std::move(program).error(), request.key);
    if (Status valid = check_valid(*program); !valid) return in_call(std::move(valid).error(), request.key);
    return program;
  });
}

Result<Kernel> JitCore::State::compile(const JitCore& core, const JitRequest& request) {
  KMUX_ASSIGN(const Shared<Runtime> runtime, runtime_of(core.options()));
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
  if (kernel && kernel->has_state()) {
    // The first configuration of a program takes the kernel, and each other one loads the code once more.
    kernel = kernels.get(job.key + "\n" + request.key,
                         [&, made = *kernel] { return claims.insert(job.key) ? Result<Kernel>(made) : make(); });
  }
  if (!kernel) return in_call(std::move(kernel).error(), request.key);
  remember(core, request, *kernel);
  return kernel;
}

Result<Kernel> JitCore::compile(const JitRequest& request) {
  return guarded_but_callers([&] { return state_->compile(*this, request); });
}

Result<Outputs> run_jit(const Kernel& kernel, std::span<const Arg> args, StreamRef stream) {
  if (!kernel.signature().outputs.empty()) return kernel.call(args, stream);
  KMUX_TRY(kernel.launch(args, stream));
  return Outputs({});
}

/// One par_compile of a wrapper: known kernels, kernels that other threads make, and jobs for the pool.
class JitCore::Batch {
 public:
  Batch(JitCore& core, Runtime& runtime, std::span<const JitRequest> requests, const ParCompileOptions& how,
        AfterFailure after)
      : core_(core),
        state_(*core.state_),
        runtime_(runtime),
        requests_(requests),
        how_(how),
        after_(after),
        begun_before_(state_.kernels.count()),
        results_(requests.size()) {}

  Result<std::vector<Result<Kernel>>> run() {
    // Run all functions of the caller first: they may request each other's kernels, and promises made here are
    // fulfilled only later.
    for (std::size_t i = 0; i < requests_.size() && !failure_; ++i) describe(i);
    for (auto& [index, job] : described_) take(index, std::move(job));
    KMUX_TRY(compile());
    KMUX_TRY(await());
    if (failure_) return *std::move(failure_);
    std::vector<Result<Kernel>> results;
    results.reserve(results_.size());
    for (std::optional<Result<Kernel>>& result : results_) results.push_back(*std::move(result));
    return results;
  }

 private:
  void describe(std::size_t index) {
    if (const FoundKernel known = core_.find(requests_[index].form)) {
      results_[index] = *known;
      return;
    }
    Result<JitJob> job = job_of(core_, runtime_, requests_[index]);
    const Status written =
        job ? state_.debug_files.write_program(job->job.program, requests_[index].key) : Status(job.error());
    if (!written) return fail(index, written.error());
    described_.emplace_back(index, *std::move(job));
  }

  void take(std::size_t index, JitJob job) {
    if (const auto same = first_of_.find(job.key); same != first_of_.end()) {
      same_.emplace_back(index, same->second);
      return;
    }
    KernelMap::Place place = state_.kernels.take(job.key);
    if (!place.promise) return awaited_.emplace_back(index, std::move(place)), void();
    first_of_.emplace(std::move(job.key), jobs_.size());
    promises_.push_back(*std::move(place.promise));
    places_.push_back(index);
    jobs_.push_back(std::move(job.job));
  }

  /// Records a failure. Requests before it are still compiled, so that the first failure in input order is returned.
  void fail(std::size_t index, const Error& error) {
    if (after_ == AfterFailure::kEnd) {
      failure_ = error;
    } else {
      results_[index] = error;
    }
  }

  Status compile() {
    if (jobs_.empty()) return Ok{};
    ParCompileOptions how = how_;
    how.progress = [this](const CompileProgress& event) { pass_on(event); };
    // Settles each promise at once, not on this thread: callbacks and other threads may wait for any of them.
    const auto settle = [this](std::size_t job, const Kernel* kernel) {
      promises_[job].settle(kernel == nullptr ? KernelMap::Outcome() : Result<Kernel>(*kernel));
    };
    const auto made = kmux::par_compile(runtime_, jobs_, how, after_, settle);
    if (!made) return named(made.error());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Result<Kernel>& kernel = (*made)[i];
      if (kernel) KMUX_TRY(state_.debug_files.write_launcher(jobs_[i].program, *kernel));
      keep_made(places_[i], kernel);
    }
    for (const auto& [index, job] : same_) keep_made(index, (*made)[job]);
    return Ok{};
  }

  /// Waits for the kernels that other threads make. If they give up or used older headers, compiles them here.
  Status await() {
    for (auto& [index, place] : awaited_) {
      const KernelMap::Outcome told = KernelMap::outcome_of(place, begun_before_);
      const Result<Kernel> kernel = told && !has_state(*told) ? *told : core_.compile(requests_[index]);
      if (!kernel && after_ == AfterFailure::kEnd) return in_call(kernel.error(), requests_[index].key);
      keep(index, kernel);
    }
    return Ok{};
  }

  /// Stores a result of the pool, which identifies programs, with the caller's configuration.
  void keep_made(std::size_t index, const Result<Kernel>& made) {
    if (has_state(made)) return keep(index, core_.compile(requests_[index]));
    keep(index, made ? made : Result<Kernel>(in_call(made.error(), requests_[index].key)));
  }

  static bool has_state(const Result<Kernel>& kernel) { return kernel.ok() && kernel->has_state(); }

  void keep(std::size_t index, const Result<Kernel>& kernel) {
    results_[index] = kernel;
    if (kernel) state_.remember(core_, requests_[index], *kernel);
  }

  /// Forwards an event of the pool, with its job indices translated to those of the caller's configurations.
  void pass_on(const CompileProgress& event) {
    if (event.step == JobStep::kFailed) failed_.insert(places_[event.index]);
    if (!how_.progress) return;
    CompileProgress mine = event;
    mine.index = places_[event.index];
    if (event.same_as) mine.same_as = places_[*event.same_as];
    how_.progress(mine);
  }

  /// Adds the configurations of failed jobs to an error, since all programs may have the same name.
  Error named(Error error) const {
    for (const std::size_t index : failed_) error.notes.push_back({"config", requests_[index].key});
    return error;
  }

  JitCore& core_;
  State& state_;
  Runtime& runtime_;
  std::span<const JitRequest> requests_;
  const ParCompileOptions& how_;
  AfterFailure after_;
  std::uint64_t begun_before_;
  std::vector<std::optional<Result<Kernel>>> results_;
  std::optional<Error> failure_;  // before anything was compiled
  std::vector<std::pair<std::size_t, JitJob>> described_;
  std::vector<CompileJob> jobs_;
  std::vector<KernelMap::Promise> promises_;  // of the jobs
  std::vector<std::size_t> places_;  // of the jobs, among the requests
  std::map<std::string, std::size_t> first_of_;  // jobs by key
  std::vector<std::pair<std::size_t, std::size_t>> same_;  // a request, and the job of an equal one before it
  std::vector<std::pair<std::size_t, KernelMap::Place>> awaited_;
  std::set<std::size_t> failed_;
};

Result<std::vector<Kernel>> JitCore::par_compile(std::span<const JitRequest> requests, const ParCompileOptions& how) {
  return guarded_but_callers([&]() -> Result<std::vector<Kernel>> {
    KMUX_TRY(initialize());
    KMUX_ASSIGN(const Shared<Runtime> runtime, runtime_of(options_));
    return values_of(Batch(*this, *runtime, requests, how, AfterFailure::kEnd).run());
  });
}

Result<std::vector<Result<Kernel>>> JitCore::try_par_compile(std::span<const JitRequest> requests,
                                                             const ParCompileOptions& how) {
  return guarded_but_callers([&]() -> Result<std::vector<Result<Kernel>>> {
    KMUX_TRY(initialize());
    KMUX_ASSIGN(const Shared<Runtime> runtime, runtime_of(options_));
    return Batch(*this, *runtime, requests, how, AfterFailure::kGoOn).run();
  });
}

}  // namespace kmux
