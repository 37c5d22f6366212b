#include "kmux/compile.h"

#include "kmux/dependencies.h"

#include "background.h"
#include "build.h"
#include "cache/dependency_state.h"
#include "improve.h"
#include "kernel_impl.h"
#include "kernel_memo.h"
#include "out_idx.h"

namespace kmux {
namespace {

Result<Kernel> load(Runtime& runtime, const Program& program, const CompileOptions& options, BuildResult built) {
  const int device = options.device.value_or(0);
  KMUX_ASSIGN(std::shared_ptr<Plugin> plugin, runtime.registry().plugin(built.backend));
  KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, plugin->backend().load(built.artifact, device));
  const auto origin =
      std::make_shared<const Origin>(Origin{plugin, built.variant, program.variants[built.variant], built.target});
  const auto slot = std::make_shared<AdapterSlot>(
      LoadedArtifact{origin, std::move(adapter), std::move(built.artifact), std::move(built.launcher), built.tier});
  Result<Kernel> kernel = make_kernel({.name = program.name,
                                       .signature = program.signature,
                                       .out_idx = options.out_idx,
                                       .plugin = std::move(plugin),
                                       .adapters = slot,
                                       .device = device,
                                       .resolution = std::move(built.resolution)});
  if (kernel) improve(runtime, program, options, built, *slot);
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
