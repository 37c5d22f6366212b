#include "builder.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <span>

#include "kmux/plugin/code_state.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/device_part.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/source_unit.h"

#include "device.h"
#include "engine/installation.h"
#include "headers.h"
#include "meta.h"
#include "object_variables.h"
#include "wrapper.h"

namespace kmux::cpu {
namespace {

bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

Result<Language> language_of(const std::string& path) {
  if (path.ends_with(".c")) return Language::kC;
  if (ends_with_any(path, {".cpp", ".cc", ".cxx"})) return Language::kCpp;
  return make_error(ErrorCode::kInvalidArgument,
                    "source \"" + path +
                        "\" is neither C nor C++ (dialect c tells by the ending). End it with .c, .cpp, .cc or .cxx.");
}

Language language_of_standard(std::string_view standard) {
  return standard.find("++") == std::string_view::npos ? Language::kC : Language::kCpp;
}

std::string standard_for(Language language, const std::string& asked) {
  if (!asked.empty() && language_of_standard(asked) == language) return asked;
  if (language == Language::kCuda) return "c++20";
  return language == Language::kC ? "c11" : "c++17";
}

// As docs/dispatch-ir.md has it: products may be joined with sums, functions may be approximate, and what is infinite or no number
// stays so. -ffast-math promises that there is none of either, and lets sums be taken in any order.
void add_fast_math(std::vector<std::string>& arguments, Engine engine) {
  arguments.emplace_back("-ffp-contract=fast");
  if (engine == Engine::kClang) arguments.emplace_back("-fapprox-func");
}

std::vector<std::string> unit_arguments(Language language, const Settings& settings, const BuildOptions& options) {
  // Generated kernels read memory by other types than it was written with.
  std::vector<std::string> arguments = {"-std=" + standard_for(language, settings.standard), "-fno-strict-aliasing"};
  if (settings.fast_math) add_fast_math(arguments, options.engine);
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  for (const std::string& prelude : settings.preludes) {
    arguments.emplace_back("-include");
    arguments.push_back(prelude);
  }
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  return arguments;
}

Status check_object(const File& file, const std::string& triple) {
  const auto refuse = [&](const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument, "source \"" + file.path +
                                                       "\" is not an object file for this machine (" + why +
                                                       "). Compile it with -c -fPIC for " + triple + ".");
  };
  Elf64_Ehdr header;
  if (file.content.size() < sizeof header) return refuse("it is too short");
  std::memcpy(&header, file.content.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return refuse("it is not ELF");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return refuse("it is not of 64 bits");
  if (header.e_machine != elf_machine_of(triple)) return refuse("it is for another processor");
  if (header.e_type != ET_REL) return refuse("it is not relocatable");
  return Ok{};
}

std::string last_name(const std::string& qualified) {
  const std::string name = qualified.substr(0, qualified.find_first_of("<("));
  const std::size_t colon = name.rfind(':');
  const std::string last = colon == std::string::npos ? name : name.substr(colon + 1);
  return last.substr(0, last.find(' '));
}

// Has the compiler look the constants up in the source, as `with_instances` does for kernels. Weak, as several sources may
// declare one.
std::string with_constants(std::string text, const std::vector<Constant>& constants) {
  const std::string source = text;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (source.find(last_name(constants[i].name)) == std::string::npos) continue;
    text += "\n#line 1 \"constant names\"\nextern \"C\" { __attribute__((used, weak)) auto* " + constant_symbol(i) +
            " = &" + constants[i].name + "; }\n";
  }
  return text;
}

// Does the source name the kernel, or a header that it may have it from?
bool may_have(const std::string& source, const std::string& kernel, const std::vector<File>& headers) {
  const std::string name = last_name(kernel);
  if (source.find(name) != source.npos) return true;
  return std::ranges::any_of(headers, [&](const File& header) {
    const std::string file = header.path.substr(header.path.rfind('/') + 1);  // npos + 1 is 0
    return header.content.find(name) != header.content.npos && source.find(file) != source.npos;
  });
}

// Has the compiler make those of `kernels` that are named by an expression (`scale<float, 3>`), each where a variable says. The
// sole source gets all of them; of several a source gets those that it may have, so that its own lines stay as they are.
std::string with_instances(const File& source, const std::vector<std::string>& kernels, const Variant& variant) {
  std::string text = source.content;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!is_name_expression(kernels[i])) continue;
    if (variant.sources.size() > 1 && !may_have(source.content, kernels[i], variant.headers)) continue;
    text += "\n#line 1 \"" + std::string(kNameTable) + "\"\nextern \"C\" { __attribute__((used, weak)) auto " +
            instance_of(i) + " = " + kernel_address(kernels[i]) + "; }\n";
  }
  return text;
}

// All that may name what device/ declares. Of headers elsewhere nothing is known: "##" has all read.
std::vector<std::string_view> naming_texts(const Variant& variant, const BuildOptions& options) {
  std::vector<std::string_view> texts;
  for (const auto* files : {&variant.sources, &variant.headers}) {
    for (const File& file : *files) texts.push_back(file.content);
  }
  texts.insert(texts.end(), variant.settings.defines.begin(), variant.settings.defines.end());
  texts.insert(texts.end(), options.compile_flags.begin(), options.compile_flags.end());
  const auto adds_a_folder = [](const std::string& flag) { return flag.starts_with("-I"); };
  if (!options.include_dirs.empty() || std::ranges::any_of(options.compile_flags, adds_a_folder))
    texts.emplace_back("##");
  return texts;
}

// May device/ ask for the macro of `flag` (-DNAME=VALUE)? All other names are the program's.
bool concerns_headers(std::string_view flag) {
  const std::string_view name = flag.substr(2, std::min(flag.find_first_of("=("), flag.size()) - 2);
  return name.empty() || name.starts_with('_') || name.starts_with("KMUX_") || name == "NDEBUG";
}

// Takes the program's macros out of `arguments`: "#define T float" of "-DT=float".
std::string take_macros(std::vector<std::string>& arguments) {
  std::string text;
  std::erase_if(arguments, [&](const std::string& argument) {
    const bool defines = argument.starts_with("-D");
    if ((!defines && !argument.starts_with("-U")) || concerns_headers(argument)) return false;
    text += defines ? define_line(argument.substr(2)) : "#undef " + argument.substr(2) + "\n";
    return true;
  });
  return text;
}

// How sources of a GPU are compiled, with the files that it takes in `files`.
std::vector<std::string> device_arguments(const Variant& variant, const BuildOptions& options,
                                          std::vector<File>& files) {
  DeviceHeaders headers = device_headers(naming_texts(variant, options), variant.dialect == "hip");
  std::vector<std::string> arguments = {"-I" + std::string(kDeviceFolder), "-include", headers.prelude};
  if (options.check.memory) {  // findings name lines and variables
    for (const char* more : {"-gline-tables-only", "-fno-discard-value-names"}) arguments.emplace_back(more);
  }
  std::vector<std::string> more = unit_arguments(Language::kCuda, variant.settings, options);
  if (const std::string macros = take_macros(more); !macros.empty()) {
    headers.files.push_back({std::string(kMacrosPath), "#line 1 \"<command line>\"\n" + macros});
    for (const std::string_view one : {std::string_view("-include"), kMacrosPath}) arguments.emplace_back(one);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::ranges::move(headers.files, std::back_inserter(files));
  return arguments;
}

// The variant without what is for the host alone, if it is for a GPU.
DevicePart part_of(const BuildRequest& request, const BuildOptions& options, const std::vector<std::string>& kernels) {
  const Variant& variant = request.chosen();
  if (!is_device_dialect(variant.dialect)) return {variant};
  const auto names = device_names(kernels, request.program.constants, variant.settings, options.compile_flags);
  return device_part(variant, names, {options.include_dirs, options.compile_flags, {}});
}

void add_device_units(CompileJob& job, const Variant& variant, const BuildOptions& options, KernelNames names) {
  const std::vector<std::string> arguments = device_arguments(variant, options, job.files);
  const std::vector<std::string> named = names == KernelNames::kLookedUp ? job.kernels : std::vector<std::string>();
  for (std::size_t i = 0; i < variant.sources.size(); ++i) {
    job.files[i].content = with_constants(with_instances(variant.sources[i], named, variant), job.constants);
    job.units.push_back({variant.sources[i].path, Language::kCuda, arguments});
  }
}

}  // namespace

Result<CompileJob> make_job(const BuildRequest& request, const BuildOptions& options, std::string_view launcher,
                            KernelNames names) {
  CompileJob job;
  job.launcher = launcher;
  job.entry = kEntry;
  job.cpu = options.march == "native" ? request.target.arch : options.march;
  job.launcher_cpu = options.target_host;
  job.opt_level = options.opt_level;
  job.tier = options.tier;
  job.check = options.check;
  if (request.chosen().dialect == "object") {
    for (const File& object : request.chosen().sources) KMUX_TRY(check_object(object, triple_of(job.cpu)));
    return job;
  }
  KMUX_ASSIGN(LaunchedKernels kernels, launched_kernels(request));
  job.kernels = std::move(kernels.names);
  job.passed = std::move(kernels.passed);
  DevicePart part = part_of(request, options, job.kernels);
  const Variant& variant = part.variant;
  job.launch_in_kernel = std::move(part.launch_in_kernel);
  job.files = variant.sources;
  job.files.insert(job.files.end(), variant.headers.begin(), variant.headers.end());
  if (is_device_dialect(variant.dialect)) {
    KMUX_ASSIGN(job.blocks, launched_blocks(request));
    job.constants = request.program.constants;
    add_device_units(job, variant, options, names);
    return job;
  }
  for (const File& source : variant.sources) {
    KMUX_ASSIGN(const Language language, language_of(source.path));
    job.units.push_back({source.path, language, unit_arguments(language, variant.settings, options)});
  }
  return job;
}

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

// Kernels and launcher are one object; what engine `host` starts compiles for this machine alone.
Status check_machines(const BuildOptions& options, const CompileJob& job) {
  const std::string& triple = triple_of(job.cpu);
  if (options.engine == Engine::kHost && triple != host_triple()) {
    return make_error(ErrorCode::kInvalidArgument,
                      R"(option "engine" cannot be "host" for processor ")" + job.cpu + "\" (it is of \"" + triple +
                          R"(", and the machine's compiler is for this machine). Use "clang".)");
  }
  if (job.launcher_cpu.empty() || triple_of(job.launcher_cpu) == triple) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "target_host \"cpu:" + job.launcher_cpu +
                                                     "\" is not of the machine of \"cpu:" + job.cpu +
                                                     "\" (kernels and their launcher are one object). Leave it out.");
}

Status check_march(const BuildOptions& options) {
  if (options.engine == Engine::kHost || options.march == "native" || find_cpu(options.march)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, R"(option "march" cannot be ")" + options.march +
                                                     "\" (LLVM does not know that processor). Use \"native\" or a name "
                                                     "like \"x86-64-v3\".");
}

Result<Artifact> list_functions(Compiler& compiler, const CompileJob& job) {
  if (job.units.size() != 1) {
    return make_error(ErrorCode::kInvalidArgument,
                      R"(option "emit" cannot be "functions" for a variant of )" + std::to_string(job.units.size()) +
                          " sources (it reads one). Give a variant of one source of dialect c, cuda or hip.");
  }
  KMUX_ASSIGN(std::string functions, compiler.functions(job));
  Artifact artifact;
  artifact.set("functions", std::move(functions));
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{.complete = false}));  // it is never kept
  return artifact;
}

// Of objects that are ready, which the compiler has not seen.
void add_variables(std::vector<std::string>& variables, std::span<const File> objects) {
  for (const File& object : objects)
    std::ranges::move(variables_of_object(object.content), std::back_inserter(variables));
}

// A launch in a kernel is C++ that no other error tells of.
Error refused_source(Error error, const CompileJob& job) {
  if (error.code != ErrorCode::kCompileFailed || job.launch_in_kernel.empty()) return error;
  error.code = ErrorCode::kUnsupported;
  error.message = job.launch_in_kernel +
                  ": a launch in a kernel is not for this processor (dynamic parallelism). Launch it from the host.";
  return error;
}

Meta meta_of(const CompileJob& job, const BuildOptions& options) {
  Meta meta;
  meta.engine = options.engine == Engine::kHost ? "host" : "clang";
  meta.entry = job.entry;
  meta.triple = triple_of(job.cpu);
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

Result<std::optional<Dependencies>> CpuBuilder::dependencies(const CompileJob& job, const BuildOptions& options) {
  KMUX_ASSIGN(auto found, headers_.scan(job, [&](Language language) {
    return options.engine == Engine::kHost ? host_folders_.find(options, language)
                                           : compiler_.system_folders(job, language);
  }));
  const auto own = options.engine == Engine::kClang ? own_resource_dir() : std::nullopt;
  if (found && own) leave_out(*found, *own);  // they belong to the compiler, which the key has
  return found;
}

// Where Clang finds no kernel by a name, or several, the code without the names says which kernels there are.
Result<CompiledObject> CpuBuilder::compile(const CompileJob& job, const BuildRequest& request,
                                           const BuildOptions& options, std::string_view launcher) {
  auto compiled = compiler_.compile(job);
  const std::string log(compiled ? "" : compiled.error().note("log").value_or(""));
  if (!is_about_names(log)) return compiled;
  KMUX_ASSIGN(CompileJob plain_job, make_job(request, options, launcher, KernelNames::kLeftOut));
  plain_job.header_stamp = job.header_stamp;
  auto plain = compiler_.compile(plain_job);
  return plain ? std::move(plain) : with_name_errors(std::move(plain).error(), log);
}

Result<Artifact> CpuBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_TRY(check_march(options));
  KMUX_TRY(check_engine(options, request.chosen().dialect));
  KMUX_TRY(check_checks(options, request.chosen().dialect));
  KMUX_ASSIGN(CompileJob job, make_job(request, options, launcher));
  KMUX_TRY(check_machines(options, job));
  if (options.emit == Emit::kFunctions) return list_functions(compiler_, job);
  KMUX_ASSIGN(const auto headers, dependencies(job, options));  // before the compiler reads them
  if (headers && options.engine == Engine::kClang) job.header_stamp = stamp_of(*headers);
  const bool ready = request.chosen().dialect == "object";
  const auto objects = ready ? std::span(request.chosen().sources) : std::span<const File>();
  auto compiled = options.engine == Engine::kHost ? compile_on_host(job, options, objects)
                                                  : compile(job, request, options, launcher);
  if (!compiled) {
    Error error = refused_source(with_include_hint(std::move(compiled).error(), request.chosen().settings), job);
    if (error.code != ErrorCode::kUnsupported || !headers) return error;
    return std::move(error).with(std::string(kDependenciesPart), to_json(*headers));
  }
  for (const Error& why : compiled->on_fibers) {
    host_.log(Host::Level::kWarning, "each thread runs with a stack of its own, which is slow: " + why.message);
  }
  if (!compiled->log.empty()) host_.log(Host::Level::kWarning, compiled->log);

  if (compiled->preambles > 0) host_.log(Host::Level::kDebug, "the headers had been compiled in advance");
  Meta meta = meta_of(job, options);
  meta.on_grid = is_device_dialect(request.chosen().dialect);
  meta.features = compiled->features;
  meta.compiler = compiled->compiler;
  meta.on_fibers = options.check.memory || !compiled->on_fibers.empty();
  Artifact artifact;
  artifact.set(kCodePart, std::move(compiled->object));
  artifact.set(kLauncherPart, std::string(launcher));
  artifact.set(kMetaPart, dump_meta(meta));
  std::vector<ConstantSymbol> constants;
  constants.reserve(job.constants.size());
  for (std::size_t i = 0; i < job.constants.size(); ++i)
    constants.push_back({job.constants[i].name, constant_symbol(i),
                         static_cast<std::uint64_t>(bytes_of(job.constants[i]).value_or(0))});
  set_constants(artifact, constants);
  if (options.engine == Engine::kClang) add_variables(compiled->variables, objects);
  set_state(artifact, compiled->variables);
  artifact.set(std::string(kDependenciesPart), to_json(headers.value_or(Dependencies{})));
  for (std::size_t i = 0; options.engine == Engine::kClang && i < objects.size(); ++i) {
    artifact.set(kObjectPart + std::to_string(i), objects[i].content);
  }
  return artifact;
}

Result<Artifact> CpuBuilder::standalone(const BuildRequest& request, const Artifact& built) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const std::string* const launcher, required_part(built, kLauncherPart, "cpu"));
  KMUX_ASSIGN(const std::string* const text, required_part(built, kMetaPart, "cpu"));
  KMUX_TRY(required_part(built, kCodePart, "cpu"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*text));
  if (meta.triple != host_triple()) {
    return make_error(ErrorCode::kUnsupported, "backend cpu cannot export for \"" + meta.triple +
                                                   "\" (this machine, \"" + host_triple() +
                                                   "\", links the library). Export it there.");
  }
  if (meta.on_fibers) {
    return make_error(ErrorCode::kUnsupported,
                      "backend cpu cannot export kernels whose threads have a stack each (what runs them is in the "
                      "plugin). Leave out option check, write recursion as a loop, and wait at barriers.");
  }
  KMUX_ASSIGN(const CompileJob job, make_job(request, options, *launcher));
  const bool all_c = !job.units.empty() &&
                     std::ranges::all_of(job.units, [](const Unit& unit) { return unit.language == Language::kC; });
  if (meta.engine != "host") return standalone_parts(built, meta, !all_c);
  const auto objects = job.units.empty() ? std::span(request.chosen().sources) : std::span<const File>();
  KMUX_ASSIGN(CompiledObject compiled, compile_on_host(job, options, objects, HostForm::kObject));
  Artifact relocatable;
  relocatable.set(kCodePart, std::move(compiled.object));
  return standalone_parts(relocatable, meta, !all_c);
}

}  // namespace kmux::cpu
