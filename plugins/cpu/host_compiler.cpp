#include "host_compiler.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string_view>

#include "kmux/plugin/code_state.h"
#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

#include "device.h"
#include "simt/frontend/installation.h"

namespace kmux::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLauncherPath = "kmux-launcher.cpp";
constexpr const char* kLinked = "/kmux-kernel";

// Runs the compiler, any number of times, and collects its messages.
struct HostCompiler {
  std::string program;
  const CompilationFolder& folder;
  std::function<bool()> stopping;
  std::vector<std::string> headers = {};  // folders named by the user
  std::string log = {};
  std::vector<std::string> variables = {};  // of the compiled objects

  Status run(const std::string& what, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    Command command = compiler_command(std::move(arguments), folder);
    std::ranges::copy(headers, std::back_inserter(command.confinement->reads));
    command.stopping = stopping;
    KMUX_ASSIGN(const ProcessResult result, kmux::run(command));
    log += folder.without_folders(result.standard_error);
    if (result.exit_code == 0) return Ok{};
    return compile_error("cannot " + what, log).with("command", to_string(command));
  }
  void add_variables(std::string_view object) {
    std::ranges::move(variables_of_object(object), std::back_inserter(variables));
  }
  Status note_variables(const std::string& object) {
    KMUX_ASSIGN(const std::string bytes, read_file(object));
    add_variables(bytes);
    return Ok{};
  }
};

// The compiler may not accept LLVM's name for this machine's processor, but accepts "native". On AArch64 -march takes
// no processor.
std::string march_argument(const std::string& cpu) {
  return (simt::is_aarch64(simt::host_triple()) ? "-mcpu=" : "-march=") +
         (cpu == simt::host_cpu().name ? "native" : cpu);
}

// Hidden visibility keeps functions of libraries that the application has loaded from replacing the kernel's. GCC would
// also make statics of templates unique in the process, which keeps a library loaded for good. Clang does not.
std::vector<std::string> own_names_arguments(const std::string& compiler) {
  std::vector<std::string> arguments = {"-fvisibility=hidden"};
  const std::string name = fs::path(compiler).filename().string();
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (!has("clang") && (has("g++") || has("gcc"))) arguments.emplace_back("-fno-gnu-unique");
  return arguments;
}

bool is_launcher(const simt::Unit& unit) { return unit.path == kLauncherPath; }

// Returns the path of the file of `unit`. No program has a file with the launcher's name.
std::string place_of(const simt::Unit& unit, const CompilationFolder& folder) {
  return (is_launcher(unit) ? folder.own() : folder.program()) + "/" + unit.path;
}

// Returns the path of a header that is included before a unit. A file of the program gets its full path, so that it is
// not read as an option or a file of options.
std::string prelude_place(const std::string& prelude, const simt::CompileJob& job, const CompilationFolder& folder) {
  const bool is_programs = std::ranges::find(job.files, prelude, &File::path) != job.files.end();
  return is_programs ? folder.program() + "/" + prelude : prelude;
}

std::vector<std::string> arguments_of(const simt::Unit& unit, const simt::CompileJob& job,
                                      const CompilationFolder& folder) {
  std::vector<std::string> arguments = unit.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_prelude = i > 0 && arguments[i - 1] == "-include";
    arguments[i] = is_prelude ? prelude_place(arguments[i], job, folder) : in_program(arguments[i], folder.program());
  }
  return arguments;
}

std::vector<std::string> compile_arguments(const simt::CompileJob& job, const simt::Unit& unit,
                                           const std::string& object, const CompilationFolder& folder) {
  const std::string programs = folder.program();
  std::vector<std::string> arguments = {
      "-x",
      unit.language == simt::Language::kC ? "c" : "c++",
      march_argument(is_launcher(unit) && !job.launcher_cpu.empty() ? job.launcher_cpu : job.cpu),
      "-O" + std::to_string(job.tier == simt::Tier::kFast ? std::min(job.opt_level, 1) : job.opt_level),
      "-fPIC",
      "-fno-math-errno",
      "-ffile-prefix-map=" + folder.empty() + "=.",  // the code has the program's paths, not those of a random folder
      "-ffile-prefix-map=" + programs + "/=",
      "-I" + programs};
  const std::vector<std::string> of_unit = arguments_of(unit, job, folder);
  arguments.insert(arguments.end(), of_unit.begin(), of_unit.end());
  arguments.insert(arguments.end(), {"-c", "-o", object, place_of(unit, folder)});
  return arguments;
}

std::vector<std::string> link_arguments(HostForm form, const CompilationFolder& folder) {
  if (form == HostForm::kObject) return {"-r", "-nostdlib", "-o", folder.own() + kLinked};
  return {"-shared", "-Wl,-z,defs", "-o", folder.own() + kLinked};
}

bool uses_openmp(const simt::CompileJob& job) {
  return std::ranges::any_of(job.units, [](const simt::Unit& unit) {
    return std::ranges::find(unit.arguments, "-fopenmp") != unit.arguments.end();
  });
}

Status compile_and_link(HostCompiler& compiler, const simt::CompileJob& job, std::span<const File> objects,
                        HostForm form) {
  std::vector<simt::Unit> units = job.units;
  units.push_back({kLauncherPath, simt::Language::kCpp, {"-std=c++20", "-nostdinc", "-w"}});
  std::vector<std::string> link = link_arguments(form, compiler.folder);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string object = compiler.folder.own() + "/kmux-unit-" + std::to_string(i) + ".o";
    std::vector<std::string> arguments = compile_arguments(job, units[i], object, compiler.folder);
    if (!is_launcher(units[i])) {
      const auto names = own_names_arguments(compiler.program);
      arguments.insert(arguments.begin(), names.begin(), names.end());  // flags of the user come later
    }
    KMUX_TRY(compiler.run("compile \"" + units[i].path + "\"", std::move(arguments)));
    if (!is_launcher(units[i])) KMUX_TRY(compiler.note_variables(object));
    link.push_back(object);
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    KMUX_ASSIGN(std::string place,
                compiler.folder.write_own("kmux-object-" + std::to_string(i) + ".o", objects[i].content));
    link.push_back(std::move(place));
    compiler.add_variables(objects[i].content);
  }
  if (form == HostForm::kLibrary) link.emplace_back("-lm");
  if (form == HostForm::kLibrary && uses_openmp(job)) link.emplace_back("-fopenmp");  // names its library
  return compiler.run("link the kernel", link);
}

std::vector<std::string> features_of(const simt::CompileJob& job) {
  const auto processor = job.cpu == simt::host_cpu().name ? std::optional(simt::host_cpu()) : simt::find_cpu(job.cpu);
  if (!processor) return {};
  return {processor->features.begin(), processor->features.end()};
}

}  // namespace

Result<std::string> find_host_compiler(const BuildOptions& options) {
  return kmux::find_host_compiler(options.host_compiler, "engine host");
}

Result<simt::CompiledObject> compile_on_host(const simt::CompileJob& job, const BuildOptions& options,
                                             std::span<const File> objects, HostForm form) {
  KMUX_ASSIGN(const std::string program, find_host_compiler(options));
  KMUX_ASSIGN(const CompilationFolder folder, CompilationFolder::create("kmux-cpu"));
  KMUX_TRY(folder.write_program(job.files));
  KMUX_TRY(folder.write_own(kLauncherPath, job.launcher));
  HostCompiler compiler{program, folder, options.stopping, job.folders_of_user};
  KMUX_TRY(compile_and_link(compiler, job, objects, form));
  KMUX_ASSIGN(std::string linked, read_file(folder.own() + kLinked));
  simt::CompiledObject compiled{std::move(linked), compiler.log, features_of(job), program};
  compiled.variables = std::move(compiler.variables);
  return compiled;
}

std::vector<std::string> folders_in(std::string_view text) {
  constexpr std::string_view kBegin = "#include <...> search starts here:\n";
  std::vector<std::string> folders;
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find("End of search list.", begin);
  if (begin == text.npos || end == text.npos) return folders;
  text = text.substr(begin + kBegin.size(), end - begin - kBegin.size());
  while (!text.empty()) {
    const std::size_t line = text.find('\n');
    const std::size_t first = text.find_first_not_of(' ');
    if (first < line) folders.emplace_back(text.substr(first, line - first));
    text.remove_prefix(line == text.npos ? text.size() : line + 1);
  }
  return folders;
}

Result<std::vector<std::string>> HostFolders::find(const BuildOptions& options, simt::Language language) {
  KMUX_ASSIGN(const std::string compiler, find_host_compiler(options));
  BuildOptions only_the_compiler;
  only_the_compiler.engine = Engine::kHost;
  only_the_compiler.host_compiler = compiler;
  KMUX_ASSIGN(const std::string identity, toolchain_identity({}, only_the_compiler));
  const auto key = std::pair(identity, language);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  const std::string name = language == simt::Language::kC ? "c" : "c++";
  KMUX_ASSIGN(const CompilationFolder folder, CompilationFolder::create("kmux-cpu"));
  const Command command = compiler_command({compiler, "-x", name, "-E", "-v", "/dev/null"}, folder);
  KMUX_ASSIGN(const ProcessResult result, run(command));
  std::vector<std::string> folders = folders_in(result.standard_error);
  if (folders.empty()) {
    return make_error(ErrorCode::kUnavailable, "\"" + to_string(command) +
                                                   "\" does not say where it looks for headers (they belong to what a "
                                                   "cached kernel depends on). Use another host_compiler.");
  }
  const std::lock_guard lock(mutex_);
  return known_[key] = std::move(folders);
}

}  // namespace kmux::cpu
