#include "builder.h"

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/source_unit.h"

#include "built_in_headers.h"
#include "code_object.h"
#include "cuda_constructs.h"
#include "kernel_check.h"

namespace kmux::hip {
namespace {

// Where Clang looks besides; hiprtc has its headers in itself.
const auto& kSystemFolders =
    *new const std::vector<std::string>{"/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"};

// Of every device: what hipDeviceProp_t says of a block. Of a grid in y and z, HIP's versions say different things.
constexpr LaunchLimits kLimits{{2147483647, 2147483647, 2147483647}, {1024, 1024, 1024}, 1024};

Error for_another(const CodeObject& code, const std::string& arch) {
  return make_error(ErrorCode::kInvalidArgument, "the code is for " + code.arch + " (the target is " + arch +
                                                     "). Give code for the target, or its source.");
}

// What the code says of the kernels of `plan`, once every launch fits them.
Result<std::map<std::string, KernelMeta>> kernels_in(const CodeObject& code, const Plan& plan,
                                                     const std::string& arch) {
  if (!code.arch.empty() && code.arch != arch) return for_another(code, arch);
  std::map<std::string, KernelMeta> metas;
  std::vector<const CodeKernel*> kernels;
  for (const std::string& name : plan.kernels) {
    KMUX_ASSIGN(const CodeKernel* const kernel, find_kernel(code, name));
    kernels.push_back(kernel);
    metas[name] = {kernel->name, kernel->static_smem_bytes, kernel->max_threads, kernel->wavefront_size};
  }
  KMUX_TRY(check_launches(plan, kernels));
  return metas;
}

// Code without metadata is that of a stand-in for a device: kernels have their names, or what the compiler said, which
// the code mentions somewhere.
Result<std::map<std::string, KernelMeta>> kernels_named(const Compiled& compiled, const Plan& plan) {
  std::map<std::string, KernelMeta> metas;
  std::size_t expression = 0;
  for (const std::string& name : plan.kernels) {
    const bool is_said = is_name_expression(name) && expression < compiled.symbols.size();
    const std::string& symbol = is_said ? compiled.symbols[expression++] : name;
    if (compiled.code.find(symbol) == std::string::npos) {
      return make_error(ErrorCode::kCompileFailed, "the code does not mention kernel \"" + name +
                                                       R"(". Correct the name, or declare it extern "C".)");
    }
    metas[name] = {symbol, 0, 0, 0};
  }
  return metas;
}

}  // namespace

Result<std::string> HipBuilder::toolchain(const Target& target, const Options& options) {
  KMUX_ASSIGN(const BuildOptions parsed, parse_options(options, host_));
  const auto choice = choose_compiler(host_, parsed.engine, target.arch);
  Json identity{Json::Object{{"options", to_json(parsed)}}};
  if (!choice) return choice.error();
  identity["compiler"] = identify(*choice);
  if (choice->hiprtc && parsed.engine == Engine::kAuto) {
    const auto other = choose_compiler(host_, parsed.engine, target.arch, Includes::kOthers);
    if (other) identity["compiler_for_other_headers"] = identify(*other);
  }
  // hiprtc, which works in this process, adds what these name. Source: ROCm's clr, its flags.
  for (const char* appended : {"hip.hiprtc_compile_options", "hip.hiprtc_link_options"}) {
    if (const auto value = host_.option(appended); value && !value->empty()) identity[appended] = *value;
  }
  return dump(identity);
}

Result<Compiled> HipBuilder::compile_source(const BuildRequest& request, const BuildOptions& options, const Plan& plan,
                                            std::optional<Dependencies>& dependencies) {
  const Variant& variant = request.chosen();
  if (variant.dialect == "cuda") KMUX_TRY(check_cuda_constructs(variant));
  const SourceUnit unit = make_unit(variant, "");
  const Includes includes = includes_others(unit, options) ? Includes::kOthers : Includes::kBuiltIn;
  KMUX_ASSIGN(const CompilerChoice choice, choose_compiler(host_, options.engine, request.target.arch, includes));
  HeaderSearch search{options.include_dirs, options.compile_flags, {}};
  if (choice.clang) search.folders.insert(search.folders.end(), kSystemFolders.begin(), kSystemFolders.end());
  dependencies = headers_.scan(variant, search);  // before the compiler reads them
  auto compiled = compile(choice, unit, variant.settings, options, request.target.arch, name_expressions(plan.kernels));
  if (!compiled) return with_include_hint(std::move(compiled).error(), variant.settings);
  if (!compiled->log.empty()) host_.log(Host::Level::kWarning, compiled->log);
  return compiled;
}

Result<Artifact> HipBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_TRY(check_extents(plan, kLimits));
  const Variant& variant = request.chosen();
  const std::string& arch = request.target.arch;
  Compiled compiled;
  std::optional<Dependencies> dependencies;
  if (variant.dialect == "hsaco") {
    KMUX_ASSIGN(compiled.code, unbundled(variant.sources.front().content, arch));
  } else {
    KMUX_ASSIGN(compiled, compile_source(request, options, plan, dependencies));
    KMUX_ASSIGN(compiled.code, unbundled(compiled.code, arch));
  }
  KMUX_ASSIGN(const std::optional<CodeObject> code, read_code_object(compiled.code));
  Meta meta{arch, compiled.compiler, {}, std::move(compiled.arguments)};
  if (code) {
    KMUX_ASSIGN(meta.kernels, kernels_in(*code, plan, arch));
  } else {
    KMUX_ASSIGN(meta.kernels, kernels_named(compiled, plan));
  }
  Artifact artifact;
  artifact.set(kCodePart, std::move(compiled.code));
  artifact.set(kLauncherPart, std::string(launcher));
  artifact.set(kPlanPart, plan_part(request.program, request.variant));
  artifact.set(kMetaPart, dump_meta(meta));
  artifact.set(std::string(kDependenciesPart), to_json(dependencies.value_or(Dependencies{})));
  return artifact;
}

}  // namespace kmux::hip
