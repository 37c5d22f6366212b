// From a program to a kernel: the steps of HACKING.md, "A call, file by file".
#include "compilation.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "kmux/dispatch_json.h"
#include "kmux/guarded.h"
#include "kmux/log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"
#include "kmux/text.h"
#include "kmux/trace.h"
#include "kmux/validate.h"

#include "cache/disk/cache_entry.h"
#include "cache/kernel_headers.h"
#include "improvement.h"
#include "ir/declared_parameters.h"
#include "isolation/code_trial.h"
#include "kernel/output_allocator.h"
#include "kernel_memo.h"
#include "recorder.h"
#include "resolve/backend_history.h"
#include "resolve/ranking.h"
#include "resolve/resolve_services.h"
#include "system/background.h"
#include "system/exit_stop.h"
#include "system/runtime_impl.h"
#include "system/trace_log.h"
#include "tune/tuner.h"

namespace kmux {

Result<Kernel> Compilation::kernel() {
  KMUX_TRY(runtime_.check_process());
  if (std::optional<Kernel> known = find_in_memory()) return *std::move(known);
  KMUX_TRY(output_names(program_.signature, options_.out_idx));  // before any slow step
  KMUX_TRY(begin(Purpose::kRun));
  KMUX_ASSIGN(DatedBuild built, with_first_able<DatedBuild>(&Compilation::build));
  return make(std::move(built));
}

Result<BuildResult> Compilation::build() {
  KMUX_TRY(begin(Purpose::kBuild));
  KMUX_ASSIGN(DatedBuild built, with_first_able<DatedBuild>(&Compilation::build));
  forget_sight(built.result.artifact);
  return std::move(built.result);
}

Result<WrapResult> Compilation::wrap() {
  KMUX_TRY(begin(Purpose::kWrap));
  return with_first_able<WrapResult>(&Compilation::wrap);
}

std::optional<Kernel> Compilation::find_in_memory() const {
  if (!is_remembered()) return std::nullopt;
  const std::int64_t asked_ns = trace_clock_ns();
  std::optional<Kernel> known = runtime_.impl().kernel_memo().find(program_, options_);
  if (known) add_stage("memory hit", program_.name, asked_ns);
  return known;
}

Status Compilation::begin(Purpose purpose) {
  KMUX_TRY(ColdCall::check());
  KMUX_TRY(runtime_.check_process());
  KMUX_ASSIGN(settings_, settle(options_, purpose, runtime_.environment()));
  if (*settings_.options.verbose) set_default_log_sink(LogLevel::kInfo, stderr_log_sink());
  return check_valid(program_);
}

Resolution Compilation::resolve() const {
  const TraceSpan span("resolve", program_.name);
  return kmux::resolve(runtime_.impl().resolve_services(), program_, settings_);
}

Result<Choice> Compilation::choose(const Candidate& candidate) const {
  return kmux::choose(runtime_.impl().isolated_plugins(), settings_, candidate.backend, program_, candidate.variant,
                      candidate.target);
}

Result<DatedBuild> Compilation::build(const Candidate& candidate) const {
  KMUX_ASSIGN(Choice choice, choose(candidate));
  return build_candidate(std::move(choice), cache(), *runtime_.impl().history(),
                         settings_.policy == Policy::kFastStart);
}

Result<WrapResult> Compilation::wrap(const Candidate& candidate) const {
  KMUX_ASSIGN(const Choice choice, choose(candidate));
  return wrap_candidate(choice);
}

namespace {

void announce(const Resolution& resolution, const Candidate& chosen) {
  if (resolution.requested_backend == chosen.backend) return;
  log(LogLevel::kInfo, "Execution backend resolved -> '" + chosen.backend + "' (requested='" +
                           resolution.requested_backend + "', target='" + chosen.target +
                           "', allowed: " + join(resolution.allowed) + ")");
}

Resolution& resolution_of(DatedBuild& made) { return made.result.resolution; }
Resolution& resolution_of(WrapResult& made) { return made.resolution; }

/// Returns true if the policy chose the candidate, not the caller or the lock file.
bool is_auto(const Resolution& resolution) {
  const Candidate* const chosen = resolution.chosen();
  return chosen != nullptr && resolution.requested_backend != chosen->backend && resolution.policy != Policy::kPinned;
}

/// Returns true if another candidate may be tried: only after "unsupported", and only if the policy chose this one.
bool may_pass_over(const Resolution& resolution, const Error& error) {
  return error.code == ErrorCode::kUnsupported && is_auto(resolution);
}

}  // namespace

/// Resolves, then returns the result of `make` for the first candidate that does not fail as "unsupported".
template <class Made>
Result<Made> Compilation::with_first_able(Result<Made> (Compilation::*make)(const Candidate& candidate) const) const {
  const ColdCall call;
  Resolution resolution = resolve();
  std::vector<Note> notes;  // of those that were passed over
  for (;;) {
    Result<Candidate> chosen = require(resolution);
    if (!chosen) {
      chosen.error().notes.insert(chosen.error().notes.end(), notes.begin(), notes.end());
      return std::move(chosen).error();
    }
    announce(resolution, *chosen);
    Result<Made> made = (this->*make)(*chosen);
    // Checked after `make`: backends that read the types from their code report this better, and not all can.
    if (made) {
      KMUX_TRY(check_declared(program_.signature, program_.variants[chosen->variant]));
      resolution_of(*made) = std::move(resolution);
      return made;
    }
    Error& error = made.error();
    if (!may_pass_over(resolution, error)) {
      if (is_auto(resolution)) note_failure(*chosen, error);
      if (!error.note("backend")) error.notes.push_back({"backend", chosen->backend});
      return std::move(error);
    }
    log(LogLevel::kInfo, "backend '" + chosen->backend + "' is passed over: " + error.message);
    notes.insert(notes.end(), error.notes.begin(), error.notes.end());
    pass_over_chosen(resolution.candidates, error.message);
  }
}

std::optional<Result<Kernel>> Compilation::find_on_disk() {
  const bool may_be_found = output_names(program_.signature, options_.out_idx) && options_.use_cache &&
                            runtime_.impl().cache() != nullptr && begin(Purpose::kRun) &&
                            !settings_.isolation.in_process_of_its_own &&
                            !opens_drivers(runtime_.impl().resolve_services(), program_, settings_);
  if (!may_be_found) return std::nullopt;
  const ColdCall call;
  Resolution resolution = resolve();
  const Candidate* const chosen = resolution.chosen();
  if (chosen == nullptr || !check_declared(program_.signature, program_.variants[chosen->variant])) return std::nullopt;
  const Result<Choice> choice = choose(*chosen);
  std::optional<DatedBuild> found = choice ? find_candidate(*choice, cache()) : std::nullopt;
  if (!found) return std::nullopt;
  announce(resolution, *chosen);
  found->result.resolution = std::move(resolution);
  return make(*std::move(found));
}

Result<Kernel> Compilation::make(DatedBuild built) const {
  const auto program = std::make_shared<const Program>(program_);  // one copy for all owners
  KMUX_ASSIGN(KernelParts parts, load(program, built));
  const std::shared_ptr<AdapterSlot> slot = parts.adapters;
  const std::shared_ptr<KernelHeaders> headers = parts.headers;
  // Before make_kernel, whose interceptor runs first and may refuse calls: refused calls are not recorded.
  const std::shared_ptr<Recorder>& recorder = runtime_.impl().recorder();
  if (recorder) Recorder::watch(recorder, program, options_, built.result, *slot);
  KMUX_ASSIGN(Kernel kernel, make_kernel(std::move(parts)));
  if (is_remembered() && !keeps_values(slot->loaded().artifact) && !depends_on_working_directory(kernel))
    remember(program, kernel, headers);
  improve(program, built.result, kernel, *slot, headers);
  return kernel;
}

Result<KernelParts> Compilation::load(const SharedProgram& program, DatedBuild& built) const {
  auto headers = std::make_shared<KernelHeaders>(built.result.artifact, built.began);
  if (built.result.resolution.policy == Policy::kPinned)
    headers->add_file(absolute_path(settings_.options.lock_file).string());
  forget_sight(built.result.artifact);
  KMUX_ASSIGN(LoadedArtifact loaded, load_artifact(program, built.result));
  KernelParts parts{.name = program->name,
                    .signature = program->signature,
                    .constants = program->constants,
                    .out_idx = options_.out_idx,
                    .plugin = loaded.origin->plugin,
                    .adapters = std::make_shared<AdapterSlot>(loaded),
                    .device = *settings_.options.device,
                    .resolution = std::move(built.result.resolution),
                    .headers = std::move(headers)};
  KMUX_TRY(add_tuner(program, parts));
  return parts;
}

Result<LoadedArtifact> Compilation::load_artifact(const SharedProgram& program, BuildResult& built) const {
  KMUX_ASSIGN(Shared<Plugin> plugin, runtime_.registry().plugin(built.backend));
  KMUX_ASSIGN(const auto trial, code_trial(runtime_.impl().isolated_plugins(), built.backend, settings_.isolation));
  auto adapter = open_adapter(plugin, built.artifact, *settings_.options.device, *program, trial);
  if (!adapter) {
    if (is_auto(built.resolution)) note_failure(*built.resolution.chosen(), adapter.error());
    return std::move(adapter).error();
  }
  auto origin = std::make_shared<const Origin>(
      Origin{std::move(plugin), built.variant, shared_variant(program, built.variant), built.target});
  return LoadedArtifact{std::move(origin), *std::move(adapter), std::move(built.artifact), std::move(built.launcher),
                        built.tier};
}

/// Adds a tuner under policy measured. It tunes at the first call, unless the kernel's only shapes are measured
/// already.
Status Compilation::add_tuner(const SharedProgram& program, KernelParts& parts) const {
  if (parts.resolution.policy != Policy::kMeasured || !program->constants.empty()) return Ok{};
  if (keeps_values(parts.adapters->loaded().artifact)) return Ok{};
  const Runtime::Impl& services = runtime_.impl();
  KMUX_ASSIGN(const std::shared_ptr<Tuner> tuner,
              Tuner::make(services.isolated_plugins(), services.history(),
                          settings_.options.use_cache ? services.cache() : nullptr, program, settings_, parts));
  parts.tuner = tuner;
  const bool is_measured = parts.resolution.chosen()->run_us && program->signature.symbols.empty();
  if (!is_measured && !services.recorder())
    tuner->tune_at_first_call(services.background().handle().lock(), *parts.adapters);
  return Ok{};
}

/// Compiles better code than `built` in the background: the successor that the policy names, else the best tier if
/// `built` is of a lesser one. Code that keeps values between launches is not replaced.
void Compilation::improve(const SharedProgram& program, const BuildResult& built, const Kernel& kernel,
                          AdapterSlot& slot, const std::shared_ptr<KernelHeaders>& headers) const {
  if (!program->constants.empty() || keeps_values(slot.loaded().artifact)) return;
  const Resolution& resolution = kernel.resolution();
  const bool is_successor = resolution.successor.has_value();
  if (!is_successor && built.tier.empty()) return;
  const Candidate& better = is_successor ? resolution.candidates[*resolution.successor] : *resolution.chosen();
  const Runtime::Impl& services = runtime_.impl();
  // Of the shared program, which the choice borrows: the caller's may be gone before the better code is compiled.
  Result<Choice> choice = kmux::choose(services.isolated_plugins(),
                                       background_settings(services.isolated_plugins(), settings_, better.backend),
                                       better.backend, *program, better.variant, better.target);
  if (!choice) return;  // it was chosen a moment ago
  std::string tier = choice->tiers.best;
  if (!is_successor && tier == built.tier) return;
  kmux::improve(services.background(),
                {.program = program,
                 .choice = *std::move(choice),
                 .tier = std::move(tier),
                 .is_successor = is_successor,
                 .cache = options_.use_cache ? services.cache() : nullptr,
                 .history = services.history(),
                 .headers = headers,
                 .device = *settings_.options.device},
                slot);
}

/// Adds a kernel to the memo. Its headers are hashed in the background: their contents matter only when one is touched.
void Compilation::remember(const SharedProgram& program, const Kernel& kernel,
                           const std::shared_ptr<KernelHeaders>& headers) const {
  runtime_.impl().kernel_memo().keep(program, options_, kernel);
  if (headers->empty()) return;
  runtime_.impl().background().post([headers] { headers->hash(); });
}

/// Returns true if kernels of the program may be shared. Constants are set in the code of a kernel, so each compilation
/// of such a program must return a separate kernel. The caller also excludes code that keeps values in
/// variables, as GPU kernels have them, one set per module.
bool Compilation::is_remembered() const {
  return options_.use_cache && !runtime_.environment().disable_cache && program_.constants.empty();
}

/// Returns true if the environment has relative paths, which name other files in another working directory.
bool Compilation::depends_on_working_directory(const Kernel& kernel) const {
  const std::filesystem::path lock_file = settings_.options.lock_file;
  if (kernel.resolution().policy == Policy::kPinned && lock_file.is_relative()) return true;
  return has_relative_path(runtime_.registry().plugin_options());
}

/// Records that `candidate`, which the caller did not name, failed: `auto` avoids it for a time.
void Compilation::note_failure(const Candidate& candidate, const Error& error) const {
  const CandidateKey key{digest(program_), candidate.variant, candidate.backend, candidate.target};
  runtime_.impl().history()->failures.note(key, error);
}

ArtifactCache* Compilation::cache() const { return options_.use_cache ? runtime_.impl().cache().get() : nullptr; }

Result<WrapResult> wrap(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return guarded([&] { return Compilation(runtime, program, options).wrap(); });
}

Result<BuildResult> build(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return guarded([&] { return Compilation(runtime, program, options).build(); });
}

Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return guarded([&] { return Compilation(runtime, program, options).kernel(); });
}

Result<BuildResult> build(const Program& program, const CompileOptions& options) {
  KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
  return build(*runtime, program, options);
}

Result<Kernel> compile(const Program& program, const CompileOptions& options) {
  KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
  return compile(*runtime, program, options);
}

Result<Kernel> kernel(Runtime& runtime, const KernelText& text, const CompileOptions& options) {
  KMUX_ASSIGN(const Program program, kernel_program(text));
  return compile(runtime, program, options);
}

Result<Kernel> kernel(std::string_view source, std::string_view text, const CompileOptions& options) {
  KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
  return kernel(*runtime, {.source = source, .signature = text}, options);
}

Result<Resolution> resolve(const Program& program, const CompileOptions& options, const ResolveOptions& how) {
  return guarded([&]() -> Result<Resolution> {
    KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
    return resolve(*runtime, program, options, how);
  });
}

}  // namespace kmux
