#include "builder.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "kmux/plugin/code_state.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/device_part.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/name_table.h"

#include "compile_job.h"
#include "device.h"
#include "headers.h"
#include "meta.h"
#include "simt/frontend/installation.h"
#include "wrapper.h"
namespace kmux::cpu {
namespace {

Status check_engine(const BuildOptions& options, const std::string& dialect) {
  if (options.engine != Engine::kHost || !is_device_dialect(dialect)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, R"(option "engine" cannot be "host" for dialect )" + dialect +
                                                     R"( (the machine's compiler knows C and C++). Use "clang".)");
}

Status check_checks(const BuildOptions& options, const std::string& dialect) {
  if (!options.check.memory || is_device_dialect(dialect)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    R"(option "check" cannot be "on" for dialect )" + dialect +
                        " (it checks the threads of kernels written for GPUs). Choose a variant of dialect cuda.");
}

// Kernels and launcher are one object, and the compiler of engine `host` compiles for this machine only.
Status check_machines(const BuildOptions& options, const simt::CompileJob& job) {
  const std::string& triple = simt::triple_of(job.cpu);
  if (options.engine == Engine::kHost && triple != simt::host_triple()) {
    return make_error(ErrorCode::kInvalidArgument,
                      R"(option "engine" cannot be "host" for processor ")" + job.cpu + "\" (it is of \"" + triple +
                          R"(", and the machine's compiler is for this machine). Use "clang".)");
  }
  if (job.launcher_cpu.empty() || simt::triple_of(job.launcher_cpu) == triple) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "target_host \"cpu:" + job.launcher_cpu +
                                                     "\" is not of the machine of \"cpu:" + job.cpu +
                                                     "\" (kernels and their launcher are one object). Leave it out.");
}

Status check_march(const BuildOptions& options) {
  if (options.engine == Engine::kHost || options.march == "native" || simt::find_cpu(options.march)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, R"(option "march" cannot be ")" + options.march +
                                                     "\" (LLVM does not know that processor). Use \"native\" or a name "
                                                     "like \"x86-64-v3\".");
}

Result<Artifact> list_functions(simt::Compiler& compiler, const simt::CompileJob& job, const Host& host) {
  if (job.units.size() != 1) {
    return make_error(ErrorCode::kInvalidArgument,
                      R"(option "emit" cannot be "functions" for a variant of )" + std::to_string(job.units.size()) +
                          " sources (it reads one). Give a variant of one source of dialect c, cuda or hip.");
  }
  KMUX_ASSIGN(simt::SourceFunctions functions, compiler.functions(job));
  if (!functions.problem.empty()) {
    host.log(Host::Level::kWarning, "functions are listed of what can be read (" + functions.problem +
                                        "). Name folders of headers that are missing; other backends may have more.");
  }
  Artifact artifact;
  artifact.set("functions", std::move(functions.list));
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{.complete = false}));  // never cached
  return artifact;
}

// Adds the variables of ready objects, which the compiler has not seen.
void add_variables(std::vector<std::string>& variables, std::span<const File> objects) {
  for (const File& object : objects)
    std::ranges::move(variables_of_object(object.content), std::back_inserter(variables));
}

// Reports a launch in a kernel as unsupported: the compiler's own errors do not name it.
Error refused_source(Error error, const simt::CompileJob& job) {
  if (error.code != ErrorCode::kCompileFailed || job.launch_in_kernel.empty()) return error;
  error.code = ErrorCode::kUnsupported;
  error.message = job.launch_in_kernel +
                  ": a launch in a kernel is not for this processor (dynamic parallelism). Launch it from the host.";
  return error;
}

Meta meta_of(const simt::CompileJob& job, const BuildOptions& options) {
  Meta meta;
  meta.engine = options.engine == Engine::kHost ? "host" : "clang";
  meta.entry = job.entry;
  meta.triple = simt::triple_of(job.cpu);
  meta.cpu = job.cpu;
  meta.tier = name_of(options.tier);
  meta.flags = options.compile_flags;
  return meta;
}

}  // namespace

Result<std::string> CpuBuilder::toolchain(const Target& target, const Options& options) {
  KMUX_ASSIGN(const BuildOptions parsed, parse_options(options, host_));
  return toolchain_identity(target, parsed);
}

Result<std::optional<Dependencies>> CpuBuilder::dependencies(const simt::CompileJob& job, const BuildOptions& options) {
  KMUX_ASSIGN(auto found, headers_.scan(job, [&](simt::Language language) {
    return options.engine == Engine::kHost ? host_folders_.find(options, language)
                                           : compiler_.system_folders(job, language);
  }));
  const auto own = options.engine == Engine::kClang ? simt::own_resource_dir() : std::nullopt;
  if (found && own) leave_out(*found, *own);  // part of the compiler, whose identity is in the key
  return found;
}

// If Clang finds no kernel or several by a name, compiles again without the names: the error then lists the kernels.
Result<simt::CompiledObject> CpuBuilder::compile(const simt::CompileJob& job, const BuildRequest& request,
                                                 const BuildOptions& options, std::string_view launcher) {
  auto compiled = compiler_.compile(job);
  const std::string log(compiled ? "" : compiled.error().note("log").value_or(""));
  if (!is_about_names(log)) return compiled;
  KMUX_ASSIGN(simt::CompileJob plain_job, make_job(request, options, launcher, KernelNames::kLeftOut));
  plain_job.header_stamp = job.header_stamp;
  auto plain = compiler_.compile(plain_job);
  return plain ? std::move(plain) : with_name_errors(std::move(plain).error(), log);
}

void CpuBuilder::tell_of(const simt::CompiledObject& compiled) const {
  for (const Error& why : compiled.on_fibers) {
    host_.log(Host::Level::kWarning, "each thread runs with a stack of its own, which is slow: " + why.message);
  }
  if (!compiled.log.empty()) host_.log(Host::Level::kWarning, compiled.log);
  if (compiled.preambles > 0) host_.log(Host::Level::kDebug, "the headers had been compiled in advance");
}

namespace {

/// Returns the sources that are already compiled (dialect `object`).
std::span<const File> objects_of(const BuildRequest& request) {
  return request.chosen().dialect == "object" ? std::span(request.chosen().sources) : std::span<const File>();
}

/// Returns the error that the caller gets for `failure`. An unsupported error includes its dependencies, since it is
/// cached.
Error refused(Error failure, const simt::CompileJob& job, const BuildRequest& request,
              const std::optional<Dependencies>& headers) {
  Error error = refused_source(with_include_hint(std::move(failure), request.chosen().settings), job);
  if (error.code != ErrorCode::kUnsupported || !headers) return error;
  return std::move(error).with(std::string(kDependenciesPart), to_json(*headers));
}

std::vector<ConstantSymbol> constants_of(const simt::CompileJob& job) {
  std::vector<ConstantSymbol> constants;
  constants.reserve(job.constants.size());
  for (std::size_t i = 0; i < job.constants.size(); ++i)
    constants.push_back({job.constants[i].name, simt::constant_symbol(i),
                         static_cast<std::uint64_t>(bytes_of(job.constants[i]).value_or(0))});
  return constants;
}

Meta meta_of(const simt::CompileJob& job, const BuildOptions& options, const BuildRequest& request,
             const simt::CompiledObject& compiled) {
  Meta meta = meta_of(job, options);
  meta.on_grid = is_device_dialect(request.chosen().dialect);
  meta.features = compiled.features;
  meta.compiler = compiled.compiler;
  meta.on_fibers = options.check.memory || !compiled.on_fibers.empty();
  return meta;
}

void add_objects(Artifact& artifact, std::span<const File> objects) {
  for (std::size_t i = 0; i < objects.size(); ++i) artifact.set(kObjectPart + std::to_string(i), objects[i].content);
}

}  // namespace

Result<Artifact> CpuBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(BuildOptions options, parse_options(request.options, host_));
  auto built = build(request, options, launcher);
  if (built || built.error().code != ErrorCode::kCompileFailed) return built;
  if (!can_read_templates(request.chosen(), options)) return built;
  host_.log(Host::Level::kDebug, "kmux's headers for TileLang do not suffice: compiling with TileLang's own");
  options.replaces_templates = false;
  return build(request, options, launcher);
}

Result<Artifact> CpuBuilder::build(const BuildRequest& request, const BuildOptions& options,
                                   std::string_view launcher) {
  KMUX_TRY(check_march(options));
  KMUX_TRY(check_engine(options, request.chosen().dialect));
  KMUX_TRY(check_checks(options, request.chosen().dialect));
  KMUX_ASSIGN(simt::CompileJob job, make_job(request, options, launcher));
  KMUX_TRY(check_machines(options, job));
  if (options.emit == Emit::kFunctions) return list_functions(compiler_, job, host_);
  const bool by_clang = options.engine == Engine::kClang;
  KMUX_ASSIGN(const auto headers, dependencies(job, options));  // before the compiler reads them
  if (headers && by_clang) job.header_stamp = stamp_of(*headers);
  const std::span<const File> objects = objects_of(request);
  auto compiled = by_clang ? compile(job, request, options, launcher) : compile_on_host(job, options, objects);
  if (!compiled) return refused(std::move(compiled).error(), job, request, headers);
  tell_of(*compiled);
  Artifact artifact;
  if (headers && is_relocatable(request.chosen(), options, *headers, *compiled))
    artifact.set(std::string(kRelocatablePart), "1");
  artifact.set(kMetaPart, dump_meta(meta_of(job, options, request, *compiled)));
  artifact.set(kCodePart, std::move(compiled->object));
  artifact.set(kLauncherPart, std::string(launcher));
  set_constants(artifact, constants_of(job));
  if (by_clang) add_variables(compiled->variables, objects);
  set_state(artifact, compiled->variables);
  artifact.set(std::string(kDependenciesPart), to_json(headers.value_or(Dependencies{})));
  if (by_clang) add_objects(artifact, objects);
  return artifact;
}

Result<Artifact> CpuBuilder::standalone(const BuildRequest& request, const Artifact& built) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const std::string* const launcher, required_part(built, kLauncherPart, "cpu"));
  KMUX_ASSIGN(const std::string* const text, required_part(built, kMetaPart, "cpu"));
  KMUX_TRY(required_part(built, kCodePart, "cpu"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*text));
  if (meta.triple != simt::host_triple()) {
    return make_error(ErrorCode::kUnsupported, "backend cpu cannot export for \"" + meta.triple +
                                                   "\" (this machine, \"" + simt::host_triple() +
                                                   "\", links the library). Export it there.");
  }
  if (meta.on_fibers) {
    return make_error(ErrorCode::kUnsupported,
                      "backend cpu cannot export kernels whose threads have a stack each (what runs them is in the "
                      "plugin). Leave out option check, write recursion as a loop, and wait at barriers.");
  }
  if (!request.chosen().body.tensor_maps.empty()) {
    return make_error(ErrorCode::kUnsupported,
                      "backend cpu cannot export programs with tensor maps (what encodes them is in the plugin). "
                      "Run the program with kmux, or pass tensors instead.");
  }
  KMUX_ASSIGN(const simt::CompileJob job, make_job(request, options, *launcher));
  const bool all_c = !job.units.empty() && std::ranges::all_of(job.units, [](const simt::Unit& unit) {
    return unit.language == simt::Language::kC;
  });
  if (meta.engine != "host") return standalone_parts(built, meta, !all_c);
  const auto objects = job.units.empty() ? std::span(request.chosen().sources) : std::span<const File>();
  KMUX_ASSIGN(simt::CompiledObject compiled, compile_on_host(job, options, objects, HostForm::kObject));
  Artifact relocatable;
  relocatable.set(kCodePart, std::move(compiled.object));
  return standalone_parts(relocatable, meta, !all_c);
}

}  // namespace kmux::cpu
