#include "builder.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "kmux/json.h"
#include "kmux/plugin/code_state.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/device_part.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/include_scan.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/relocatable.h"
#include "kmux/plugin/source_unit.h"
#include "kmux/plugin/start_thread.h"

#include "nvidia/cubin.h"
#include "nvidia/fatbin.h"
#include "nvidia/launch_check.h"
#include "nvidia/library/launcher_compiler.h"
#include "nvidia/target.h"
#include "nvidia/written_variables.h"

namespace kmux::cuda {
namespace {

// Compiles the sources of a variant with nvcc, in the folders of `compilation`.
class DeviceCompiler {
 public:
  DeviceCompiler(Nvcc nvcc, std::string host_compiler)
      : nvcc_(std::move(nvcc)), host_compiler_(std::move(host_compiler)) {}

  /// The form of the code: kWithRuntime links the part of CUDA's runtime that kernels call to launch kernels.
  enum class Form : std::uint8_t { kWhole, kWithRuntime };

  struct Output {
    std::string code;
    bool is_ptx = false;                    // the code is PTX and ends with a zero
    std::string log = {};                   // warnings
    bool is_about_program = false;          // the log is not only about headers of the machine
    std::vector<std::string> headers = {};  // of the machine, that the compiler read
    std::string ptx = {};    // of a cubin
    std::string name_errors = {};           // the compiler's log, if it compiled again without the names of kernels
  };
  // Returns a cubin for the target's architecture: compiled from dialect cuda, assembled from ptx, unchanged for cubin.
  // For a virtual architecture, returns PTX. A name table (name_table.h) in the code resolves and instantiates the name
  // expressions among `kernels`.
  //
  // Errors: compile_failed with notes "log", in the user's files and lines, and "command"; invalid_argument for an
  //         argument that the shell through which nvcc starts its tools would change.
  Result<Output> compile(const nvidia::Compilation& compilation, const BuildRequest& request,
                         const nvidia::BuildOptions& options, const std::vector<std::string>& kernels,
                         Form form = Form::kWhole) const;

 private:
  Status link(const nvidia::Compilation& compilation, nvidia::Arch arch) const;
  Nvcc nvcc_;
  std::string host_compiler_;
};

// Files in the compilation's private folder.
constexpr const char* kCode = "/kmux-out.code";
constexpr const char* kRule = "/kmux-out.d";
constexpr const char* kParts = "/kmux-out.parts.cubin";  // nvlink requires the extension
// A fixed name: nvcc puts the file name without extension into code for functions of one unit, and a random name would
// change the code.
constexpr const char* kUnit = "kmux-unit";

// Returns the definition behind -D in `flag`; empty for another flag.
std::string_view define_in(std::string_view flag) {
  for (const std::string_view prefix : {"-D", "--define-macro="}) {
    if (flag.starts_with(prefix)) return flag.substr(prefix.size());
  }
  return {};
}

// Returns the text of the unit. It contains the defines, since nvcc would pass them through a shell.
std::string main_text(const Settings& settings, const nvidia::BuildOptions& options, const SourceUnit& unit,
                      const std::vector<std::string>& kernels) {
  std::string text;
  for (const std::string& define : settings.defines) text += define_line(define);
  for (const std::string& flag : options.compile_flags) {
    if (const auto define = define_in(flag); !define.empty()) text += define_line(define);
  }
  for (const std::string& prelude : unit.preludes) text.append("#include \"").append(prelude).append("\"\n");
  text.append("#line 1 \"").append(unit.path).append("\"\n").append(unit.text).append("\n");
  return text + name_table(kernels);
}

// Returns true if the log is not only about headers of the machine. Messages of the assembler are about the kernels.
bool is_about_program(std::string_view log, const std::vector<File>& files) {
  const auto is_named = [&](const File& file) { return log.find(file.path + "(") != log.npos; };
  return log.find("ptxas ") != log.npos || std::ranges::any_of(files, is_named);
}

// Checks that nvcc and its shell take `arguments` literally: nvcc quotes most, but not all arguments that it passes on.
// In folders, blanks are allowed, but a comma would begin another folder.
Status check_arguments(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.:/@%";
  for (const std::string& argument : arguments) {
    const std::string_view kept = argument.starts_with("-I") ? " " : ",";
    const auto is_plain = [&](char c) { return kPlain.find(c) != kPlain.npos || kept.find(c) != kept.npos; };
    if (std::ranges::all_of(argument, is_plain)) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "argument \"" + argument +
                          "\" has a character that nvcc or the shell that it uses would take for its own. Use "
                          "letters, digits and _-+=.:/@% only; in folders blanks, too.");
  }
  return Ok{};
}

// Returns the unit's PTX, which nvcc kept, if `code` has variables. Without the PTX, all variables count as written.
std::string kept_ptx(const CompilationFolder& folder, std::string_view code) {
  if (!nvidia::refers_to_variables(code)) return "";
  auto ptx = read_file(folder.scratch() + "/" + kUnit + ".ptx");
  return ptx ? *std::move(ptx) : "";
}

// nvcc.profile puts a folder and a colon before LD_LIBRARY_PATH. If the variable were empty, nvcc's children would load
// libraries from their working directory.
std::string libraries_of(const Nvcc& nvcc) {
  std::string folders = inherited_library_path();
  return folders.empty() ? absolute_folders(nvcc.home + "/lib64") : folders;
}

// Returns the folders of nvcc, of the C++ compiler, and of the user's headers.
nvidia::Compilation::Places places_of(const Nvcc& nvcc, const std::string& host_compiler,
                                      const nvidia::BuildOptions& options, const Settings& settings) {
  std::vector<std::string> reads = folders_of_user(options.include_dirs, options.compile_flags, settings);
  reads.insert(reads.end(), {nvcc.home, installation_of(nvcc.program), installation_of(host_compiler)});
  return {std::move(reads), libraries_of(nvcc)};
}

// Returns the arguments of nvcc in order, without files and defines.
std::vector<std::string> device_arguments(const BuildRequest& request, const nvidia::BuildOptions& options,
                                          nvidia::Arch arch) {
  std::vector<std::string> arguments = {arch.is_virtual ? "-ptx" : "-cubin", "-arch=" + to_string(arch),
                                        "-I" + std::string(kProgramFolder)};
  if (request.chosen().dialect == "cuda") {
    // The default is nvcc's own standard, for which public sources are written: functions of c++20 (std::lerp) make
    // calls to theirs ambiguous.
    const Settings& settings = request.chosen().settings;
    if (!settings.standard.empty()) add_standard(arguments, settings, options.compile_flags);
    arguments.emplace_back("--expt-relaxed-constexpr");  // std::max and its like in kernels, as with NVRTC
  }
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  if (options.device_debug) {
    arguments.emplace_back("-G");
  } else if (options.line_info) {
    arguments.emplace_back("-lineinfo");
  }
  if (options.fast_math || request.chosen().settings.fast_math) arguments.emplace_back("--use_fast_math");
  if (options.max_registers > 0) arguments.push_back("-maxrregcount=" + std::to_string(options.max_registers));
  std::ranges::copy(nvidia::spill_arguments(options, arch), std::back_inserter(arguments));
  for (const std::string& flag : options.compile_flags) {
    if (define_in(flag).empty()) arguments.push_back(in_program(flag, kProgramFolder));
  }
  return arguments;
}

Result<DeviceCompiler::Output> DeviceCompiler::compile(const nvidia::Compilation& compilation,
                                                       const BuildRequest& request, const nvidia::BuildOptions& options,
                                                       const std::vector<std::string>& kernels, Form form) const {
  const Variant& variant = request.chosen();
  if (variant.dialect == "cubin") return Output{variant.sources.front().content};
  KMUX_ASSIGN(const nvidia::Arch arch, nvidia::code_arch_of(request.target));
  const bool is_ptx = variant.dialect == "ptx";
  if (is_ptx && arch.is_virtual) return Output{variant.sources.front().content + '\0', /*is_ptx=*/true};
  const SourceUnit unit = make_unit(variant, "");
  const CompilationFolder& folder = compilation.folder();
  const std::string main = std::string(kUnit) + (is_ptx ? ".ptx" : ".cu");
  const std::string text =
      is_ptx ? variant.sources.front().content : main_text(variant.settings, options, unit, kernels);
  std::vector<std::string> arguments = device_arguments(request, options, arch);
  const bool is_linked = form == Form::kWithRuntime && !arch.is_virtual;
  if (is_linked) arguments.emplace_back("-rdc=true");
  arguments.insert(arguments.end(), {"-ccbin", host_compiler_, "-o", folder.own() + (is_linked ? kParts : kCode),
                                     std::string(kUnitFolder) + "/" + main});
  if (!is_ptx) {
    arguments.insert(arguments.end(), {"-MD", "-MF", folder.own() + kRule, "--keep", "--keep-dir", folder.scratch()});
  }
  KMUX_TRY(check_arguments(arguments));
  KMUX_TRY(check_arguments({nvcc_.program, folder.root()}));
  KMUX_TRY(folder.write_program(unit.files));
  KMUX_TRY(folder.write_unit(main, text));
  const std::string what = "compile \"" + variant.sources.front().path + "\" with nvcc";
  KMUX_ASSIGN(std::string log, compilation.run(what, nvcc_.program, std::move(arguments),
                                               places_of(nvcc_, host_compiler_, options, variant.settings)));
  if (is_linked) KMUX_TRY(link(compilation, arch));
  KMUX_ASSIGN(std::string code, read_file(folder.own() + kCode));
  if (arch.is_virtual) code += '\0';
  const auto rule = read_file(folder.own() + kRule);
  const bool about_program = is_about_program(log, unit.files);
  auto ptx = kept_ptx(folder, code);
  return Output{
      std::move(code), arch.is_virtual, std::move(log), about_program, absolute_prerequisites(rule ? *rule : ""),
      std::move(ptx)};
}

Status DeviceCompiler::link(const nvidia::Compilation& compilation, nvidia::Arch arch) const {
  const std::string own = compilation.folder().own();
  std::vector<std::string> arguments = {"-arch=" + to_string(arch), own + kParts, "-o", own + kCode};
  for (const char* folder : {"/lib64", "/lib"}) arguments.push_back("-L" + nvcc_.home + folder);
  arguments.emplace_back("-lcudadevrt");
  KMUX_ASSIGN(const std::string ignored, compilation.run("link CUDA's runtime for devices", nvcc_.home + "/bin/nvlink",
                                                         std::move(arguments), {{nvcc_.home}, libraries_of(nvcc_)}));
  static_cast<void>(ignored);
  return Ok{};
}

// Returns the header that the host's C++ compiler reports as missing; empty for other messages. Source: messages of GCC
// 12 and Clang 19.
std::string missing_header(std::string_view log) {
  for (const auto& [before, after] :
       {std::pair<std::string_view, std::string_view>("fatal error: ", ": No such file or directory"),
        std::pair<std::string_view, std::string_view>("fatal error: '", "' file not found")}) {
    const std::size_t end = log.find(after);
    const std::size_t begin = end == log.npos ? log.npos : log.rfind(before, end);
    if (begin != log.npos) return std::string(log.substr(begin + before.size(), end - begin - before.size()));
  }
  return "";
}

// Compiles the whole source, host code included. Links CUDA's device runtime if kernels launch kernels. If this machine
// lacks a header that only host code uses, compiles the device's part alone.
Result<DeviceCompiler::Output> compile_what_can_be(const DeviceCompiler& compiler,
                                                   const nvidia::Compilation& compilation, const BuildRequest& request,
                                                   const nvidia::BuildOptions& options,
                                                   const std::vector<std::string>& kernels) {
  auto whole = compiler.compile(compilation, request, options, kernels);
  if (whole || request.chosen().dialect != "cuda") return whole;
  const std::string log(whole.error().note("log").value_or(""));
  if (log.find("requires separate compilation mode") != log.npos) {
    return compiler.compile(compilation, request, options, kernels, DeviceCompiler::Form::kWithRuntime);
  }
  const std::string header = missing_header(log);
  if (header.empty() || !words_of_host_header(header)) return whole;
  const Variant& variant = request.chosen();
  DevicePart part =
      device_part(variant, device_names(kernels, request.program.constants, variant.settings, options.compile_flags),
                  {options.include_dirs, options.compile_flags, {}});
  if (part.variant == variant) return whole;
  Program program = request.program;
  program.variants[request.variant] = std::move(part.variant);
  return compiler.compile(compilation, {program, request.variant, request.target, request.options}, options, kernels);
}

constexpr const char* kName = "backend cuda";

// Compiles again without the name table if the compiler finds none or several kernels for a name: that code lists the
// kernels.
Result<DeviceCompiler::Output> compile_source(const DeviceCompiler& compiler, const nvidia::Compilation& compilation,
                                              const BuildRequest& request, const nvidia::BuildOptions& options,
                                              const std::vector<std::string>& kernels) {
  auto compiled = compile_what_can_be(compiler, compilation, request, options, kernels);
  const std::string log(compiled ? "" : compiled.error().note("log").value_or(""));
  if (compiled || !is_about_names(log)) return compiled;
  auto plain = compile_what_can_be(compiler, compilation, request, options, {});
  if (!plain) return compiled;
  plain->name_errors = log;
  return plain;
}

// Checks ready code, before a compiler is started.
Status check_ready(const BuildRequest& request, const Plan& plan) {
  if (request.chosen().dialect == "cuda") return Ok{};
  KMUX_ASSIGN(const nvidia::Arch target, nvidia::arch_of(request.target));
  KMUX_TRY(nvidia::check_ready_code(request.chosen(), target, plan));
  return Ok{};
}

std::string meta_of(const BuildRequest& request, const std::vector<std::string>& kernels,
                    const std::vector<std::string>& symbols, const std::vector<std::string>& arguments) {
  return dump(Json::Object{{"target", to_string(request.target)},
                           {"arguments", json_list(arguments)},
                           {"kernels", json_list(kernels)},
                           {"symbols", json_list(symbols)}});
}

// Returns `files` without those of `known`. nvcc names a toolkit header relative to its program's folder, the scan
// relative to the header folder: both paths are one file, which counts once.
std::vector<std::string> without_known(std::vector<std::string> files, const Dependencies& known) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  const auto is_new = [&](const std::string& path) {
    const FileIdentity file = FileIdentity::of(path);
    return !file.is_there() || seen.emplace(file.device, file.inode).second;
  };
  for (const std::string& path : known.files) is_new(path);
  std::erase_if(files, [&](const std::string& path) { return !is_new(path); });
  return files;
}

}  // namespace

Result<std::string> CudaBuilder::toolchain(const Target&, const Options& options) {
  KMUX_ASSIGN(const nvidia::BuildOptions parsed, nvidia::parse_options(options, host_, "cuda"));
  KMUX_ASSIGN(const Nvcc nvcc, find_nvcc(host_));
  KMUX_ASSIGN(const std::string host_compiler, find_host_compiler(parsed.host_compiler, kName));
  return dump(Json::Object{{"nvcc", identify(nvcc)}, {"host_compiler", identify_compiler(host_compiler)}});
}

std::optional<Dependencies> CudaBuilder::dependencies(const BuildRequest& request, const nvidia::BuildOptions& options,
                                                      const Nvcc& nvcc) {
  if (request.chosen().dialect != "cuda") return std::nullopt;
  HeaderSearch search;
  search.folders = options.include_dirs;
  for (const std::string& folder : nvidia::toolkit_includes(nvcc.home)) search.folders.push_back(folder);
  search.compile_flags = options.compile_flags;
  search.implicit = {"cuda_runtime.h"};  // nvcc's own first line
  return headers_.scan(request.chosen(), search);
}

void CudaBuilder::tell_forward(const BuildRequest& request, const Nvcc& nvcc, nvidia::Arch code) {
  const auto device = nvidia::arch_of(request.target);
  if (request.chosen().dialect != "cuda" || !device || *device == code) return;
  std::call_once(told_, [&] {
    const auto release = release_of(nvcc);
    const std::string number =
        release ? " " + std::to_string(release->major) + "." + std::to_string(release->minor) : "";
    host_.log(Host::Level::kWarning, nvidia::told_forward("nvcc" + number, *device, code));
  });
}

Result<Artifact> CudaBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const nvidia::BuildOptions options, nvidia::parse_options(request.options, host_, "cuda"));
  KMUX_ASSIGN(const auto program, nvidia::unpacked(request, host_));
  if (program) return build({*program, request.variant, request.target, request.options}, launcher);
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_TRY(nvidia::check_extents(plan));
  KMUX_ASSIGN(const Nvcc nvcc, find_nvcc(host_));
  KMUX_ASSIGN(const std::string host_compiler, find_host_compiler(options.host_compiler, kName));
  std::call_once(warned_, [&] { warn_of_unused_flags(host_); });
  auto headers = dependencies(request, options, nvcc);  // before the compiler reads them
  KMUX_TRY(check_ready(request, plan));
  KMUX_ASSIGN(const nvidia::Arch arch, nvidia::code_arch_of(request.target));
  tell_forward(request, nvcc, arch);
  KMUX_ASSIGN(const nvidia::Compilation compilation, nvidia::Compilation::begin(host_, "cuda"));
  const nvidia::LauncherCompiler launcher_compiler(compilation, host_compiler);
  SideWork<Status> translated([&] { return launcher_compiler.translate(launcher); });
  auto code = compile_source(DeviceCompiler(nvcc, host_compiler), compilation, request, options, plan.kernels);
  const Status launcher_status = translated.get();
  if (!code) return with_include_hint(std::move(code).error(), request.chosen().settings);
  KMUX_TRY(launcher_status);
  const auto level = code->is_about_program ? Host::Level::kWarning : Host::Level::kDebug;
  if (!code->log.empty()) host_.log(level, code->log);
  KMUX_ASSIGN(const auto names, nvidia::names_in_code(plan.kernels, code->code, code->is_ptx));
  const auto found = nvidia::checked_symbols(plan, names, code->code, code->is_ptx);
  if (!found) return with_name_errors(found.error(), code->name_errors);
  const std::vector<std::string>& symbols = *found;
  KMUX_ASSIGN(const auto constants, nvidia::find_constants(request.program.constants, code->code, code->is_ptx));
  KMUX_ASSIGN(std::string library, launcher_compiler.link(code->code, plan.kernels, symbols));
  std::vector<std::string> arguments = device_arguments(request, options, arch);
  Artifact artifact;
  if (headers && !options.device_debug &&
      is_relocatable(request.chosen(), options.include_dirs, options.compile_flags, *headers, code->code)) {
    leave_out_folders(arguments, options.include_dirs);
    artifact.set(std::string(kRelocatablePart), "1");
  }
  KMUX_TRY(nvidia::set_kernel_attributes(artifact, plan.kernels, symbols, code->code, code->is_ptx));
  set_constants(artifact, constants);
  set_state(artifact, nvidia::written_variables({code->code, code->is_ptx, std::move(code->ptx)}));
  artifact.set(nvidia::kCodePart, std::move(code->code));
  artifact.set(nvidia::kLibraryPart, std::move(library));
  artifact.set(nvidia::kLauncherPart, std::string(launcher));
  artifact.set(nvidia::kMetaPart, meta_of(request, plan.kernels, symbols, arguments));
  // The headers of the C++ compiler, which the scan does not find.
  if (headers) add(*headers, Dependencies{.files = without_known(std::move(code->headers), *headers)});
  artifact.set(std::string(kDependenciesPart), to_json(headers.value_or(Dependencies{})));
  return artifact;
}

}  // namespace kmux::cuda
