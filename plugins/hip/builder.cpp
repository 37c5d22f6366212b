#include "builder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "kmux/plugin/code_state.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/device_part.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/relocatable.h"
#include "kmux/plugin/source_unit.h"

#include "code_object.h"
#include "compiler_choice.h"
#include "cuda_constructs.h"
#include "device.h"

namespace kmux::hip {
namespace {

// The system's header folders, which Clang also searches; hiprtc has built-in headers instead.
const auto& kSystemFolders = *new const std::vector<std::string>{
    "/usr/local/include", std::string("/usr/include/") + kMultiarch, "/usr/include"};

// The limits of every device, by hipDeviceProp_t. HIP's versions differ in the limits of a grid in y and z.
constexpr LaunchLimits kLimits{{2147483647, 2147483647, 2147483647}, {1024, 1024, 1024}, 1024};

Error for_another(const CodeObject& code, const std::string& arch) {
  return make_error(ErrorCode::kInvalidArgument, "the code is for " + code.arch + " (the target is " + arch +
                                                     "). Give code for the target, or its source.");
}

using KernelMetas = std::map<std::string, KernelMeta>;

// Returns the kernels' names in the code: symbols of name expressions come from hiprtc, or from the name table; other
// names are the program's.
std::vector<std::string> names_in(const CodeObject& code, const Compiled& compiled, const Plan& plan) {
  std::vector<std::string> found = name_expressions(plan.kernels);
  if (compiled.symbols.size() >= found.size()) {
    std::ranges::copy_n(compiled.symbols.begin(), std::ssize(found), found.begin());
  } else {
    std::vector<std::string> symbols;
    std::ranges::transform(code.kernels, std::back_inserter(symbols), &CodeKernel::name);
    found = names_by_table(found, code.name_table, symbols);
  }
  std::vector<std::string> names = plan.kernels;
  std::size_t expression = 0;
  for (std::string& name : names) {
    if (is_name_expression(name)) name = found[expression++];
  }
  return names;
}

// Returns the code's facts of the kernels of `plan`, after checking every launch against them.
Result<KernelMetas> kernels_in(const CodeObject& code, const Compiled& compiled, const Plan& plan,
                               const std::string& arch) {
  if (!code.arch.empty() && code.arch != arch && !is_generic_of(code.arch, arch)) return for_another(code, arch);
  KernelMetas metas;
  std::vector<const CodeKernel*> kernels;
  const std::vector<std::string> names = names_in(code, compiled, plan);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto kernel_in_code = find_kernel(code, names[i]);
    if (!kernel_in_code) return with_name_errors(std::move(kernel_in_code).error(), compiled.name_errors);
    const CodeKernel* const kernel = *kernel_in_code;
    kernels.push_back(kernel);
    metas[plan.kernels[i]] = {kernel->name, kernel->static_smem_bytes, kernel->max_threads, kernel->wavefront_size};
  }
  KMUX_TRY(check_launches(plan, kernels));
  return metas;
}

// Returns limits that hold for both: HIP selects one of several code objects when it loads them, so a launch must fit
// each.
KernelMeta narrower(const KernelMeta& one, const KernelMeta& other) {
  KernelMeta both = one;
  both.static_smem_bytes = std::max(one.static_smem_bytes, other.static_smem_bytes);
  both.max_threads = std::min(one.max_threads, other.max_threads);
  return both;
}

// Returns the kernels of code without metadata, which is for a stand-in of a device. Their symbols are the compiler's
// or the program's names, which the code must contain.
Result<KernelMetas> kernels_named(const Compiled& compiled, const Plan& plan) {
  KernelMetas metas;
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

Result<KernelMetas> kernels_of(const std::vector<std::string>& objects, const Compiled& compiled, const Plan& plan,
                               const std::string& arch) {
  KernelMetas all;
  for (const std::string& object : objects) {
    KMUX_ASSIGN(const std::optional<CodeObject> code, read_code_object(object));
    if (!code) return kernels_named(compiled, plan);
    KMUX_ASSIGN(const KernelMetas kernels, kernels_in(*code, compiled, plan, arch));
    for (const auto& [name, kernel] : kernels) {
      const auto known = all.find(name);
      all[name] = known == all.end() ? kernel : narrower(known->second, kernel);
    }
  }
  return all;
}

// Returns the symbols of the constants of `program` in every object. For a stand-in of a device, they are the
// compiler's symbols behind those of the kernels' name expressions; their sizes are known only after loading.
Result<std::vector<ConstantSymbol>> constants_in(const std::vector<std::string>& objects, const Compiled& compiled,
                                                 const Program& program, const Plan& plan) {
  std::vector<ConstantSymbol> found;
  for (const std::string& object : objects) {
    KMUX_ASSIGN(const std::optional<CodeObject> code, read_code_object(object));
    if (code) {
      KMUX_ASSIGN(found, find_constants(program.constants, code->variables));
      continue;
    }
    found.clear();
    const std::size_t first = name_expressions(plan.kernels).size();
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
      const std::string& name = program.constants[i].name;
      const bool is_said = first + i < compiled.symbols.size();
      found.push_back({name, is_said ? compiled.symbols[first + i] : name, 0});
    }
  }
  return found;
}

// Reports a launch in a kernel as unsupported: the compiler's own errors do not name it.
Error refused_source(Error error, const DevicePart& part, const std::optional<Dependencies>& headers) {
  if (error.code != ErrorCode::kCompileFailed || part.launch_in_kernel.empty()) return error;
  error.code = ErrorCode::kUnsupported;
  error.message = part.launch_in_kernel +
                  ": a launch in a kernel is not for AMD's devices (dynamic parallelism). Launch it from the host.";
  return headers ? std::move(error).with(std::string(kDependenciesPart), to_json(*headers)) : error;
}

}  // namespace

Result<std::string> HipBuilder::toolchain(const Target& target, const Options& options) {
  KMUX_ASSIGN(const BuildOptions parsed, parse_options(options, host_));
  const auto choice = choose_compiler(host_, parsed.engine, target.arch);
  if (!choice) return choice.error();
  Json identity{Json::Object{{"compiler", identify(*choice)}}};
  if (choice->hiprtc && parsed.engine == Engine::kAuto) {
    const auto other = choose_compiler(host_, parsed.engine, target.arch, Includes::kOthers);
    if (other) identity["compiler_for_other_headers"] = identify(*other);
  }
  // hiprtc, which runs in this process, appends these options. Source: ROCm's clr, its flags.
  for (const char* appended : {"hip.hiprtc_compile_options", "hip.hiprtc_link_options"}) {
    if (const auto value = host_.option(appended); value && !value->empty()) identity[appended] = *value;
  }
  return dump(identity);
}

Result<Compiled> HipBuilder::compile_source(const BuildRequest& request, const BuildOptions& options, const Plan& plan,
                                            std::optional<Dependencies>& dependencies) {
  std::vector<std::string> names = name_expressions(plan.kernels);
  for (const Constant& constant : request.program.constants) names.push_back("&" + constant.name);
  const DevicePart part = device_part(
      request.chosen(),
      device_names(plan.kernels, request.program.constants, request.chosen().settings, options.compile_flags),
      {options.include_dirs, options.compile_flags, {}});
  const Variant& variant = part.variant;
  if (variant.dialect == "cuda") KMUX_TRY(check_cuda_constructs(variant));
  const SourceUnit unit = make_unit(variant, "");
  const Includes includes = includes_others(unit, options) ? Includes::kOthers : Includes::kBuiltIn;
  KMUX_ASSIGN(const CompilerChoice choice, choose_compiler(host_, options.engine, request.target.arch, includes));
  HeaderSearch search{options.include_dirs, options.compile_flags, {}};
  if (choice.clang) search.folders.insert(search.folders.end(), kSystemFolders.begin(), kSystemFolders.end());
  dependencies = headers_.scan(variant, search);  // before the compiler reads them
  const auto compile_for = [&](const std::vector<std::string>& asked) {
    return compile(choice, unit, variant.settings, options, request.target.arch, asked);
  };
  auto compiled = compile_for(names);
  std::string log(compiled ? "" : compiled.error().note("log").value_or(""));
  if (is_about_names(log)) {  // code compiled without names lists its kernels
    auto plain = compile_for({});
    if (plain) compiled = std::move(plain), compiled->name_errors = std::move(log);
  }
  if (!compiled)
    return refused_source(with_include_hint(std::move(compiled).error(), variant.settings), part, dependencies);
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
    compiled.code = variant.sources.front().content;
  } else {
    KMUX_ASSIGN(compiled, compile_source(request, options, plan, dependencies));
  }
  KMUX_ASSIGN(Unbundled ready, unbundled(compiled.code, arch));
  compiled.code = std::move(ready.code);
  const bool is_anywhere = dependencies && is_relocatable(variant, options.include_dirs, options.compile_flags,
                                                          *dependencies, compiled.code);
  if (is_anywhere) leave_out_folders(compiled.arguments, options.include_dirs);
  Meta meta{arch, compiled.compiler, {}, std::move(compiled.arguments), options.graph};
  KMUX_ASSIGN(meta.kernels, kernels_of(ready.objects, compiled, plan, arch));
  Artifact artifact;
  if (is_anywhere) artifact.set(std::string(kRelocatablePart), "1");
  artifact.set(kCodePart, std::move(compiled.code));
  artifact.set(kLauncherPart, std::string(launcher));
  artifact.set(kPlanPart, plan_part(request.program, request.variant));
  artifact.set(kMetaPart, dump_meta(meta));
  KMUX_ASSIGN(const auto constants, constants_in(ready.objects, compiled, request.program, plan));
  set_constants(artifact, constants);
  set_state(artifact, written_variables(ready.objects, variant));
  artifact.set(std::string(kDependenciesPart), to_json(dependencies.value_or(Dependencies{})));
  return artifact;
}

}  // namespace kmux::hip
