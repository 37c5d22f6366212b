#include "kmux/compile.h"

#include "build.h"
#include "kernel_impl.h"
#include "out_idx.h"

namespace kmux {
namespace {

Result<Kernel> load(Runtime& runtime, const Program& program, const CompileOptions& options, BuildResult built) {
  const int device = options.device.value_or(0);
  KMUX_ASSIGN(std::shared_ptr<Plugin> plugin, runtime.registry().plugin(built.backend));
  KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, plugin->backend().load(built.artifact, device));
  return make_kernel({.name = program.name,
                      .signature = program.signature,
                      .variant = program.variants[built.variant],
                      .out_idx = options.out_idx,
                      .plugin = std::move(plugin),
                      .adapter = std::move(adapter),
                      .device = device,
                      .target = std::move(built.target),
                      .resolution = std::move(built.resolution),
                      .launcher = std::move(built.launcher),
                      .artifact = std::move(built.artifact)});
}

}  // namespace

Result<BuildResult> build(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return build_for(Purpose::kBuild, runtime, program, options);
}

Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options) {
  KMUX_TRY(output_names(program.signature, options.out_idx));  // before anything that takes long
  KMUX_ASSIGN(BuildResult built, build_for(Purpose::kRun, runtime, program, options));
  return load(runtime, program, options, std::move(built));
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
