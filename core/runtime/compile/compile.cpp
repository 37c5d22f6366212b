#include "kmux/compile.h"

#include <filesystem>

#include "kmux/compile_wait.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"
#include "kmux/text.h"

#include "base/guarded.h"
#include "build.h"
#include "cache/disk/cache_entry.h"
#include "cache/kernel_headers.h"
#include "isolation/code_trial.h"
#include "kernel/kernel_impl.h"
#include "kernel/output_allocator.h"
#include "kernel_memo.h"
#include "recorder.h"
#include "resolve/ranking.h"
#include "system/background.h"
#include "system/runtime_impl.h"
#include "system/trace_log.h"
#include "tune/tuner.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using SharedProgram = std::shared_ptr<const Program>;  // one copy for all owners

/// Adds a tuner under policy measured. It tunes at the first call, unless the kernel's only shapes are measured
/// already.
Status add_tuner(Runtime& runtime, const SharedProgram& program, const CompileOptions& options, KernelParts& parts) {
  if (parts.resolution.policy != Policy::kMeasured || !program->constants.empty()) return Ok{};
  if (keeps_values(parts.adapters->loaded().artifact)) return Ok{};
  KMUX_ASSIGN(const std::shared_ptr<Tuner> tuner, Tuner::make(runtime, program, options, parts));
  parts.tuner = tuner;
  const bool is_measured = parts.resolution.chosen()->run_us && program->signature.symbols.empty();
  if (!is_measured && !runtime.impl().recorder())
    tuner->tune_at_first_call(runtime.impl().background().handle().lock(), *parts.adapters);
  return Ok{};
}

Result<LoadedArtifact> load_artifact(Runtime& runtime, const SharedProgram& program, const CompileOptions& options,
                                     BuildResult& built) {
  KMUX_ASSIGN(Shared<Plugin> plugin, runtime.registry().plugin(built.backend));
  KMUX_ASSIGN(const IsolationSettings isolation,
              isolation_of(options.isolation, options.compile_timeout_s, runtime.environment()));
  KMUX_ASSIGN(const auto trial, code_trial(runtime, built.backend, isolation));
  auto adapter = open_adapter(plugin, built.artifact, options.device.value_or(0), *program, trial);
  if (!adapter) {
    if (is_auto(built.resolution)) note_failure(runtime, *program, *built.resolution.chosen(), adapter.error());
    return std::move(adapter).error();
  }
  auto origin = std::make_shared<const Origin>(
      Origin{std::move(plugin), built.variant, shared_variant(program, built.variant), built.target});
  return LoadedArtifact{std::move(origin), *std::move(adapter), std::move(built.artifact), std::move(built.launcher),
                        built.tier};
}

Result<KernelParts> load(Runtime& runtime, const SharedProgram& program, const CompileOptions& options,
                         DatedBuild& built) {
  auto headers = std::make_shared<KernelHeaders>(built.result.artifact, built.began);
  if (built.result.resolution.policy == Policy::kPinned)
    headers->add_file(absolute_path(lock_file_of(options.lock_file, runtime.environment())).string());
  forget_sight(built.result.artifact);
  KMUX_ASSIGN(LoadedArtifact loaded, load_artifact(runtime, program, options, built.result));
  KernelParts parts{.name = program->name,
                    .signature = program->signature,
                    .constants = program->constants,
                    .out_idx = options.out_idx,
                    .plugin = loaded.origin->plugin,
                    .adapters = std::make_shared<AdapterSlot>(loaded),
                    .device = options.device.value_or(0),
                    .resolution = std::move(built.result.resolution),
                    .headers = std::move(headers)};
  KMUX_TRY(add_tuner(runtime, program, options, parts));
  return parts;
}

/// Adds a kernel to the memo. Its headers are hashed in the background: their contents matter only when one is touched.
void remember(Runtime& runtime, const SharedProgram& program, const CompileOptions& options, const Kernel& kernel,
              const std::shared_ptr<KernelHeaders>& headers) {
  runtime.impl().kernel_memo().keep(program, options, kernel);
  if (headers->empty()) return;
  runtime.impl().background().post([headers] { headers->hash(); });
}

/// Returns true if kernels of the program may be shared. Constants are set in the code of a kernel, so each compilation
/// of such a program must return a separate kernel. The caller also excludes code that keeps values in
/// variables, as GPU kernels have them, one set per module.
bool is_remembered(const Runtime& runtime, const Program& program, const CompileOptions& options) {
  return options.use_cache && !runtime.environment().disable_cache && program.constants.empty();
}

/// Returns true if the environment has relative paths, which name other files in another working directory.
bool depends_on_working_directory(Runtime& runtime, const CompileOptions& options, const Kernel& kernel) {
  const fs::path lock_file = lock_file_of(options.lock_file, runtime.environment());
  if (kernel.resolution().policy == Policy::kPinned && lock_file.is_relative()) return true;
  for (const auto& [name, value] : runtime.registry().plugin_options()) {
    if (!name.ends_with(".include_dirs")) continue;
    for (const std::string& folder : split_lines(value))
      if (!folder.starts_with('/')) return true;
  }
  return false;
}

Result<Kernel> kernel_of(Runtime& runtime, const Program& program, const CompileOptions& options, DatedBuild built) {
  const auto shared = std::make_shared<const Program>(program);
  KMUX_ASSIGN(KernelParts parts, load(runtime, shared, options, built));
  const std::shared_ptr<AdapterSlot> slot = parts.adapters;
  const std::shared_ptr<KernelHeaders> headers = parts.headers;
  // Before make_kernel, whose interceptor runs first and may refuse calls: refused calls are not recorded.
  if (runtime.impl().recorder()) Recorder::watch(runtime.impl().recorder(), shared, options, built.result, *slot);
  KMUX_ASSIGN(Kernel kernel, make_kernel(std::move(parts)));
  if (is_remembered(runtime, program, options) && !keeps_values(slot->loaded().artifact) &&
      !depends_on_working_directory(runtime, options, kernel))
    remember(runtime, shared, options, kernel, headers);
  improve(runtime, shared, options, built.result, kernel.resolution(), *slot, headers);
  return kernel;
}

Result<Kernel> compile_or_find(Runtime& runtime, const Program& program, const CompileOptions& options) {
  KMUX_TRY(runtime.check_process());
  if (std::optional<Kernel> known = find_known(runtime, program, options)) return *std::move(known);
  KMUX_TRY(output_names(program.signature, options.out_idx));  // before any slow step
  KMUX_ASSIGN(DatedBuild built, build_for(Purpose::kRun, runtime, program, options));
  return kernel_of(runtime, program, options, std::move(built));
}

}  // namespace

std::optional<Kernel> find_known(Runtime& runtime, const Program& program, const CompileOptions& options) {
  if (!is_remembered(runtime, program, options)) return std::nullopt;
  const std::int64_t asked_ns = trace_clock_ns();
  std::optional<Kernel> known = runtime.impl().kernel_memo().find(program, options);
  if (known) add_stage("memory hit", program.name, asked_ns);
  return known;
}

std::optional<Result<Kernel>> find_on_disk(Runtime& runtime, const Program& program, const CompileOptions& options) {
  if (!output_names(program.signature, options.out_idx)) return std::nullopt;
  std::optional<DatedBuild> built = find_build(runtime, program, options);
  if (!built) return std::nullopt;
  return kernel_of(runtime, program, options, *std::move(built));
}

Result<BuildResult> build(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return guarded([&]() -> Result<BuildResult> {
    KMUX_ASSIGN(DatedBuild built, build_for(Purpose::kBuild, runtime, program, options));
    forget_sight(built.result.artifact);
    return std::move(built.result);
  });
}

Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return guarded([&] { return compile_or_find(runtime, program, options); });
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

Result<Resolution> resolve(const Program& program, const ResolveRequest& request) {
  return guarded([&]() -> Result<Resolution> {
    KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
    return resolve(*runtime, program, request);
  });
}

}  // namespace kmux
