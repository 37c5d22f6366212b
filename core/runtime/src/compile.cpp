#include "kmux/compile.h"

#include "kmux/dependencies.h"

#include "auto/improve.h"
#include "auto/policy.h"
#include "auto/tuner.h"
#include "background.h"
#include "build.h"
#include "cache/dependency_state.h"
#include "kernel_impl.h"
#include "kernel_memo.h"
#include "open_adapter.h"
#include "out_idx.h"

namespace kmux {
namespace {

/// Under policy measured a kernel can be tuned, and is at its first call, unless its only shapes are measured already.
Status add_tuner(Runtime& runtime, const Program& program, const CompileOptions& options, KernelParts& parts) {
  if (parts.resolution.policy != to_string(Policy::kMeasured)) return Ok{};
  KMUX_ASSIGN(parts.tuner, Tuner::make(runtime, program, options, parts));
  const bool is_measured = parts.resolution.chosen()->run_us && program.signature.symbols.empty();
  if (!is_measured) parts.tuner->tune_at_first_call(runtime.background().handle().lock(), *parts.adapters);
  return Ok{};
}

Result<LoadedArtifact> load_artifact(Runtime& runtime, const Program& program, const CompileOptions& options,
                                     BuildResult& built) {
  KMUX_ASSIGN(std::shared_ptr<Plugin> plugin, runtime.registry().plugin(built.backend));
  auto adapter = open_adapter(plugin->backend(), built.artifact, options.device.value_or(0), program.name);
  if (!adapter) {
    if (is_auto(built.resolution)) note_failure(runtime, program, *built.resolution.chosen(), adapter.error());
    return std::move(adapter).error();
  }
  auto origin = std::make_shared<const Origin>(
      Origin{std::move(plugin), built.variant, program.variants[built.variant], built.target});
  return LoadedArtifact{std::move(origin), *std::move(adapter), std::move(built.artifact), std::move(built.launcher),
                        built.tier};
}

Result<Kernel> load(Runtime& runtime, const Program& program, const CompileOptions& options, BuildResult built) {
  KMUX_ASSIGN(LoadedArtifact loaded, load_artifact(runtime, program, options, built));
  KernelParts parts{.name = program.name,
                    .signature = program.signature,
                    .out_idx = options.out_idx,
                    .plugin = loaded.origin->plugin,
                    .adapters = std::make_shared<AdapterSlot>(loaded),
                    .device = options.device.value_or(0),
                    .resolution = std::move(built.resolution)};
  KMUX_TRY(add_tuner(runtime, program, options, parts));
  const std::shared_ptr<AdapterSlot> slot = parts.adapters;
  Result<Kernel> kernel = make_kernel(std::move(parts));
  if (kernel) improve(runtime, program, options, built, kernel->resolution(), *slot);
  return kernel;
}

std::string dependencies_of(const Artifact& artifact) {
  const std::string* part = artifact.find(kDependenciesPart);
  return part == nullptr ? "" : *part;
}

/// The headers are read in the background: only the next compile needs to know what they were.
void remember(Runtime& runtime, const Program& program, const CompileOptions& options, const Kernel& kernel,
              const std::string& dependencies, FileTime began) {
  if (dependencies.empty()) return runtime.kernel_memo().keep(program, options, kernel);
  runtime.background().post([=, memo = &runtime.kernel_memo()] {
    const auto paths = dependencies_from_json(dependencies);
    auto state = paths ? capture(*paths, began) : Result<DependencyState>(paths.error());
    if (state) memo->keep(program, options, kernel, *std::move(state));
  });
}

}  // namespace

Result<BuildResult> build(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return build_for(Purpose::kBuild, runtime, program, options);
}

Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options) {
  const bool remembers = options.use_cache && !runtime.environment().disable_cache;
  if (remembers) {
    if (std::optional<Kernel> known = runtime.kernel_memo().find(program, options)) return *std::move(known);
  }
  KMUX_TRY(output_names(program.signature, options.out_idx));  // before anything that takes long
  const FileTime began = file_time_now();
  KMUX_ASSIGN(BuildResult built, build_for(Purpose::kRun, runtime, program, options));
  const std::string dependencies = dependencies_of(built.artifact);
  KMUX_ASSIGN(Kernel kernel, load(runtime, program, options, std::move(built)));
  if (remembers) remember(runtime, program, options, kernel, dependencies, began);
  return kernel;
}

Result<BuildResult> build(const Program& program, const CompileOptions& options) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, Runtime::default_runtime());
  return build(*runtime, program, options);
}

Result<Kernel> compile(const Program& program, const CompileOptions& options) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, Runtime::default_runtime());
  return compile(*runtime, program, options);
}

Result<Resolution> resolve(const Program& program, const ResolveRequest& request) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, Runtime::default_runtime());
  return resolve(*runtime, program, request);
}

}  // namespace kmux
