#include "builder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "kmux/json.h"
#include "kmux/plugin/code_state.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/device_part.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/relocatable.h"
#include "kmux/plugin/source_unit.h"

#include "compilation.h"
#include "device_headers.h"
#include "meta.h"
#include "nvidia/cubin.h"
#include "nvidia/fatbin.h"
#include "nvidia/launch_check.h"
#include "nvidia/target.h"
#include "nvidia/written_variables.h"
#include "places.h"

namespace kmux::nvrtc {
namespace {

constexpr std::string_view kNameMap = "__nv_name_map";  // NVRTC's name, in messages, for the file of name expressions

// Identifies the file at the end of all links: its name has the version.
Json identify_library(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return identify_file(error ? path : real.string());
}

// Returns each kernel's name in the code: NVRTC's symbol for a name expression, else the program's name. If NVRTC could
// not resolve some name, `compiled` has no symbols.
std::vector<std::string> names_of(const std::vector<std::string>& kernels, const Compiled& compiled) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  std::size_t expression = 0;
  for (const std::string& kernel : kernels) {
    const bool is_said = is_name_expression(kernel) && expression < compiled.symbols.size();
    names.push_back(is_said ? compiled.symbols[expression++] : kernel);
  }
  return names;
}

// Returns the name expressions for NVRTC. A cast selects an overload.
std::vector<std::string> expressions_of(const std::vector<std::string>& kernels) {
  std::vector<std::string> names = name_expressions(kernels);
  for (std::string& name : names) {
    if (split_kernel_name(name).parameters) name = kernel_address(name);
  }
  return names;
}

// Adds the addresses of constants, which keeps them as variables: NVRTC would fold the initial value of a static one
// without writes.
void add_addresses(std::vector<std::string>& names, const std::vector<Constant>& constants) {
  for (const Constant& constant : constants) {
    if (!constant.name.starts_with("_Z")) names.push_back("&" + constant.name);
  }
}

// Returns the header that NVRTC reports as missing; empty for other messages. Source: messages of NVRTC 12 and 13.
std::string missing_header(std::string_view message) {
  constexpr std::string_view kMissing = " open source file \"";  // "cannot" or "could not"
  const std::size_t at = message.find(kMissing);
  if (at == message.npos) return "";
  const std::string_view name = message.substr(at + kMissing.size());
  return std::string(name.substr(0, name.find('"')));
}

// Returns true if `path` is a header of CUB, Thrust or libcu++, wherever they are installed.
bool is_of_cccl(std::string_view path) {
  constexpr std::array<std::string_view, 4> kFolders = {"/cccl/", "/cub/", "/thrust/", "/cuda/std/"};
  return std::ranges::any_of(kFolders, [&](std::string_view folder) { return path.find(folder) != path.npos; });
}

// Returns the header of CCCL that NVRTC cannot read: the place of the first error, unless that error is in a template
// that the program instantiates, which may be the program's fault. Empty for other logs.
std::string unreadable_cccl_header(std::string_view log) {
  constexpr std::string_view kError = "): error: ", kLast = "): catastrophic error: ";  // of a missing header
  const std::size_t error = std::min(log.find(kError), log.find(kLast));
  if (error == log.npos) return "";
  const std::string_view rest = log.substr(error + kError.size());
  if (rest.substr(0, rest.find(kError)).find("detected during") != rest.npos) return "";
  const std::string_view line = log.substr(0, error).substr(log.substr(0, error).rfind('\n') + 1);
  const std::string_view path = line.substr(0, line.rfind('('));
  return is_of_cccl(path) ? std::string(path) : "";
}

// Adds advice for a missing header. The hints of a program's settings do not apply to headers of the toolkit.
Error with_header_hint(Error error, const Settings& settings) {
  const auto advice = toolkit_header_advice(error.message);
  if (advice) {
    error.message += " " + *advice;
    return error;
  }
  if (!unreadable_cccl_header(error.note("log").value_or("")).empty()) return error;
  const std::string header = missing_header(error.message);
  if (!header.empty() && settings.include_hints.empty()) error.message += advice_for_missing_header(header);
  return with_include_hint(std::move(error), settings);
}

// Compiles with precompiled headers, and again without them on failure. A full disk or a damaged file may be the cause,
// and the user's messages must not depend on it.
Result<Compiled> compile_with(PrecompiledHeaders& precompiled, const NvrtcLibrary& library, Compilation compilation,
                              const std::string& stamp) {
  using Use = PrecompiledHeaders::Plan::Use;
  const PrecompiledHeaders::Plan plan = precompiled.plan(library, stamp);
  if (plan.use == Use::kNone) return compile(library, compilation);
  const std::size_t own = compilation.options.size();
  compilation.options.insert(compilation.options.end(), {plan.argument, "--pch-messages=false"});
  auto compiled = compile(library, compilation);
  if (compiled) {
    if (plan.use == Use::kCreate) precompiled.created(plan, compiled->pch);
    return compiled;
  }
  compilation.options.resize(own);
  auto plain = compile(library, compilation);
  if (plain) {
    precompiled.drop(plan);
  } else {
    precompiled.put_back(plan);
  }
  return plain;
}

// Compiles again without kernel names if NVRTC finds none or several for a name: that code lists the kernels.
template <class Compile>
Result<Compiled> compile_named(const Compile& compile_for, const std::vector<std::string>& kernels,
                               const std::vector<Constant>& constants, std::string& name_errors) {
  std::vector<std::string> names = expressions_of(kernels);
  add_addresses(names, constants);
  auto compiled = compile_for(names);
  std::string log(compiled ? "" : compiled.error().note("log").value_or(""));
  if (compiled || !is_about_names(log, kNameMap)) return compiled;
  names.clear();
  add_addresses(names, constants);
  auto plain = compile_for(names);
  if (!plain) return compiled;
  plain->symbols.clear();
  name_errors = std::move(log);
  return plain;
}

Error unsupported(Error error, const std::string& why) {
  error.code = ErrorCode::kUnsupported;
  error.message += why;
  return error;
}

// Returns `unsupported` for a source that requires something NVRTC lacks, so that nvcc is tried next.
Error refused_source(Error error, const DevicePart& part) {
  if (error.code != ErrorCode::kCompileFailed) return error;
  if (!part.launch_in_kernel.empty()) {
    return unsupported(std::move(error), " A kernel is launched by one (" + part.launch_in_kernel +
                                             ": dynamic parallelism), which NVRTC does not link.");
  }
  if (toolkit_header_advice(error.message)) return error;
  if (const std::string header = unreadable_cccl_header(error.note("log").value_or("")); !header.empty()) {
    return unsupported(std::move(error), " NVRTC cannot read \"" + header +
                                             "\", which has code for the host; nvcc (backend cuda) can. Headers of "
                                             "CCCL for kernels alone work here, such as "
                                             "<cub/block/block_reduce.cuh>.");
  }
  if (const std::string header = missing_header(error.message); !header.empty()) {
    if (host_folder_of(header).empty()) return error;
    return unsupported(std::move(error), " The host's compiler has it, and so has nvcc (backend cuda).");
  }
  if (!part.is_cut) return error;
  return unsupported(std::move(error),
                     " NVRTC has the source without its code for the host; nvcc (backend cuda) has all of it.");
}

// Returns the header folders that are searched before those of the toolkit.
std::vector<std::string> folders_of_user(const nvidia::BuildOptions& options) {
  std::vector<std::string> folders = options.include_dirs;
  for (const std::string& flag : options.compile_flags) {
    for (const std::string_view prefix : {"-I", "--include-path="}) {
      if (flag.starts_with(prefix)) folders.push_back(flag.substr(prefix.size()));
    }
  }
  return folders;
}

Status check_lto(const NvrtcLibrary& library, const nvidia::BuildOptions& options, nvidia::Arch arch) {
  std::string why;
  if (!library.has_lto()) why = "NVRTC " + library.version() + " makes no intermediate code";
  if (options.device_debug) why = "code for a debugger is not optimized";
  if (arch.is_virtual) why = "it makes binary code, and the target is " + to_string(arch);
  if (why.empty()) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "option lto cannot be on (" + why + "). Remove it.");
}

}  // namespace

struct NvrtcBuilder::Code {
  std::string content;
  std::vector<std::string> symbols;
  bool is_ptx = false;
  std::string compiler = {};
  std::vector<std::string> arguments = {};
  std::optional<Dependencies> dependencies = {};
  std::string ptx = {};  // of a cubin that refers to variables
  std::string name_errors = {};  // NVRTC's log, if it compiled again without the names of kernels
};

Result<std::string> NvrtcBuilder::toolchain(const Target&, const Options& options) {
  KMUX_ASSIGN(const nvidia::BuildOptions parsed, nvidia::parse_options(options, host_, "nvrtc"));
  KMUX_ASSIGN(const std::string library, find_library(host_));
  const std::vector<std::string> folders = header_folders(library, host_);
  Json::Object identity{{"nvrtc", identify_library(library)}, {"headers", json_list(folders)}};
  if (parsed.lto) {
    KMUX_ASSIGN(const std::string linker, JitLinkLibrary::find(library));
    identity.emplace("linker", identify_library(linker));
  }
  return dump(std::move(identity));
}

// Scans without and with the built-in headers. These shadow files of the machine, but a file that appears in a folder
// of the user's would shadow them, so both results are dependencies.
std::optional<Dependencies> NvrtcBuilder::dependencies(Variant variant, const DeviceHeaders& built_in,
                                                       HeaderSearch search) {
  std::optional<Dependencies> found = headers_.scan(variant, search);
  if (built_in.files.empty()) return found;
  variant.headers.insert(variant.headers.end(), built_in.files.begin(), built_in.files.end());
  search.implicit = built_in.preludes;
  const std::optional<Dependencies> with_built_in = headers_.scan(variant, search);
  if (!found || !with_built_in) return found ? found : with_built_in;
  found->complete = true;  // the second scan finds the files that the first missed
  add(*found, *with_built_in);
  return found;
}

Result<NvrtcBuilder::Code> NvrtcBuilder::compile_source(const BuildRequest& request,
                                                        const nvidia::BuildOptions& options,
                                                        const std::vector<std::string>& kernels) {
  const std::vector<std::string> user_folders = folders_of_user(options);
  const DevicePart part =
      device_part(request.chosen(),
                  device_names(kernels, request.program.constants, request.chosen().settings, options.compile_flags),
                  {options.include_dirs, options.compile_flags, {}});
  const Variant& variant = part.variant;
  KMUX_ASSIGN(const nvidia::Arch device, nvidia::arch_of(request.target));
  KMUX_ASSIGN(const nvidia::Arch arch, nvidia::code_arch_of(request.target));
  KMUX_ASSIGN(const std::string path, find_library(host_));
  KMUX_ASSIGN(const NvrtcLibrary* const library, NvrtcLibrary::open(path));
  std::vector<std::string> folders = header_folders(path, host_);
  const DeviceHeaders built_in = device_headers(variant, user_folders, folders);
  const SourceUnit unit = with_headers(make_unit(variant, kProgramFolder), built_in);
  Code code;
  code.is_ptx = arch.is_virtual;
  code.compiler = "NVRTC " + library->version();
  if (arch != device) {
    std::call_once(told_, [&] { host_.log(Host::Level::kWarning, nvidia::told_forward(code.compiler, device, arch)); });
  }
  code.arguments = compiler_arguments(options, variant.settings, unit, arch, folders);
  folders.insert(folders.begin(), options.include_dirs.begin(), options.include_dirs.end());
  code.dependencies = dependencies(variant, built_in, {folders, options.compile_flags, {}});  // before NVRTC reads them
  const std::string stamp =
      code.dependencies ? headers_stamp(unit.text, unit.files, code.arguments, *code.dependencies) : "";
  if (options.lto) KMUX_TRY(check_lto(*library, options, arch));
  if (options.lto) code.arguments.emplace_back("-dlto");
  const auto compile_for = [&](const std::vector<std::string>& names) {
    return options.lto ? compile_and_link(*library, path, variant, built_in, code.arguments, names,
                                          linker_arguments(options, variant.settings, arch))
                       : compile_with(precompiled_, *library, {unit, code.arguments, names, code.is_ptx}, stamp);
  };
  auto compiled = compile_named(compile_for, kernels, request.program.constants, code.name_errors);
  if (!compiled) {
    Error error = refused_source(with_header_hint(std::move(compiled).error(), variant.settings), part);
    if (error.code != ErrorCode::kUnsupported || !code.dependencies) return error;
    return std::move(error).with(std::string(kDependenciesPart), to_json(*code.dependencies));
  }
  const auto level = compiled->is_about_program ? Host::Level::kWarning : Host::Level::kDebug;
  if (!compiled->log.empty()) host_.log(level, compiled->log);
  code.symbols = names_of(kernels, *compiled);
  code.content = std::move(compiled->code);
  code.ptx = std::move(compiled->ptx);
  return code;
}

Result<Artifact> NvrtcBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const nvidia::BuildOptions options, nvidia::parse_options(request.options, host_, "nvrtc"));
  KMUX_ASSIGN(const auto program, nvidia::unpacked(request, host_));
  if (program) return build({*program, request.variant, request.target, request.options}, launcher);
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_TRY(nvidia::check_extents(plan));
  const Variant& variant = request.chosen();
  Code code;
  if (variant.dialect == "cuda") {
    KMUX_ASSIGN(code, compile_source(request, options, plan.kernels));
    auto symbols = nvidia::checked_symbols(plan, code.symbols, code.content, code.is_ptx);
    if (!symbols) return with_name_errors(std::move(symbols).error(), code.name_errors);
    code.symbols = *std::move(symbols);
  } else {
    KMUX_ASSIGN(const nvidia::Arch target, nvidia::arch_of(request.target));
    KMUX_ASSIGN(code.symbols, nvidia::check_ready_code(variant, target, plan));
    code.content = variant.sources.front().content;
    code.is_ptx = variant.dialect == "ptx";
  }
  const char* const form = code.is_ptx ? "ptx" : nvidia::is_fatbin(code.content) ? "fatbin" : "cubin";
  Meta meta{request.target.arch, form, code.compiler, options.graph, {}, {}};
  const bool is_anywhere =
      code.dependencies && !options.device_debug &&
      is_relocatable(variant, options.include_dirs, options.compile_flags, *code.dependencies, code.content);
  if (is_anywhere) leave_out_folders(code.arguments, options.include_dirs);
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) meta.symbols[plan.kernels[i]] = code.symbols[i];
  meta.arguments = std::move(code.arguments);
  meta.shared_carveout = options.shared_carveout;
  Artifact artifact;
  if (is_anywhere) artifact.set(std::string(kRelocatablePart), "1");
  KMUX_TRY(nvidia::set_kernel_attributes(artifact, plan.kernels, code.symbols, code.content, code.is_ptx));
  KMUX_ASSIGN(const auto constants, nvidia::find_constants(request.program.constants, code.content, code.is_ptx));
  set_constants(artifact, constants);
  set_state(artifact, nvidia::written_variables({code.content, code.is_ptx, std::move(code.ptx)}));
  artifact.set(kCodePart, std::move(code.content));
  artifact.set(kLauncherPart, std::string(launcher));
  artifact.set(kPlanPart, plan_part(request.program, request.variant));
  artifact.set(kMetaPart, dump_meta(meta));
  artifact.set(std::string(kDependenciesPart), to_json(code.dependencies.value_or(Dependencies{})));
  return artifact;
}

}  // namespace kmux::nvrtc
