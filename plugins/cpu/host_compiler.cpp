#include "host_compiler.h"

#include <algorithm>
#include <filesystem>
#include <stdlib.h>

#include "kmux/file_io.h"
#include "kmux/process.h"

#include "engine/diagnostics.h"
#include "engine/find_cpu.h"
#include "engine/host_cpu.h"

namespace kmux::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLauncherPath = "kmux-launcher.cpp";
constexpr const char* kLibrary = "kmux-kernel.so";

// A folder that only this user can enter, gone with the object.
class PrivateFolder {
 public:
  static Result<PrivateFolder> create() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "kmux-cpu-XXXXXX").string();
    if (error || !mkdtemp(path.data())) {
      return make_error(ErrorCode::kUnavailable,
                        "no folder for temporary files can be made (in \"" + path + "\"). Make room or set TMPDIR.");
    }
    return PrivateFolder(path);
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  Status write(const std::string& name, const std::string& content) const {
    std::error_code ignored;
    const fs::path file = fs::path(path_) / name;
    fs::create_directories(file.parent_path(), ignored);
    return write_file(file, content);
  }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// One run of the compiler after another, in the folder; what it says is collected.
struct HostCompiler {
  std::string program;
  const PrivateFolder& folder;
  std::string log = {};

  Status run(const std::string& what, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    const Command command{std::move(arguments), folder.path(), host_environment()};
    KMUX_ASSIGN(const ProcessResult result, kmux::run(command));
    log += result.standard_error;
    if (result.exit_code == 0) return Ok{};
    return compile_error("cannot " + what, log).with("command", to_string(command));
  }
};

// The compiler may not know LLVM's name of this machine, but it knows "native".
std::string march_argument(const std::string& cpu) { return "-march=" + (cpu == host_cpu().name ? "native" : cpu); }

std::vector<std::string> compile_arguments(const CompileJob& job, const Unit& unit, const std::string& object) {
  const bool is_launcher = unit.path == kLauncherPath && !job.launcher_cpu.empty();
  std::vector<std::string> arguments = {
      "-x",
      unit.language == Language::kC ? "c" : "c++",
      march_argument(is_launcher ? job.launcher_cpu : job.cpu),
      "-O" + std::to_string(job.tier == Tier::kFast ? std::min(job.opt_level, 1) : job.opt_level),
      "-fPIC",
      "-fno-math-errno",
      "-I."};
  arguments.insert(arguments.end(), unit.arguments.begin(), unit.arguments.end());
  arguments.insert(arguments.end(), {"-c", "-o", object, unit.path});
  return arguments;
}

Status write_all(const PrivateFolder& folder, const CompileJob& job, std::span<const File> objects) {
  for (const File& file : job.files) KMUX_TRY(folder.write(file.path, file.content));
  for (const File& file : objects) KMUX_TRY(folder.write("objects/" + file.path, file.content));
  return folder.write(kLauncherPath, job.launcher);
}

Status compile_and_link(HostCompiler& compiler, const CompileJob& job, std::span<const File> objects) {
  std::vector<Unit> units = job.units;
  units.push_back({kLauncherPath, Language::kCpp, {"-std=c++20", "-nostdinc", "-w"}});
  std::vector<std::string> link = {"-shared", "-Wl,-z,defs", "-o", kLibrary};
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string object = "kmux-unit-" + std::to_string(i) + ".o";
    KMUX_TRY(compiler.run("compile \"" + units[i].path + "\"", compile_arguments(job, units[i], object)));
    link.push_back(object);
  }
  for (const File& object : objects) link.push_back("objects/" + object.path);
  link.emplace_back("-lm");
  return compiler.run("link the kernel", link);
}

std::vector<std::string> features_of(const CompileJob& job) {
  const auto processor = job.cpu == host_cpu().name ? std::optional(host_cpu()) : find_cpu(job.cpu);
  if (!processor) return {};
  return {processor->features.begin(), processor->features.end()};
}

}  // namespace

Result<std::string> find_host_compiler(const BuildOptions& options) {
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  if (!options.host_compiler.empty()) names = {options.host_compiler};
  std::error_code error;
  for (const std::string& name : names) {
    const bool is_path = name.find('/') != std::string::npos;
    const auto found = is_path ? std::optional(name) : find_program(name);
    const fs::path real = found ? fs::canonical(*found, error) : fs::path();
    if (found && !error) return real.string();
  }
  return make_error(ErrorCode::kUnavailable, "no C++ compiler was found (looked for \"" + names.front() +
                                                 "\"; engine host needs one). Install it: apt-get install g++.");
}

const std::map<std::string, std::string>& host_environment() {
  static const std::map<std::string, std::string> environment = {
      {"LC_ALL", "C"}, {"CPATH", ""}, {"C_INCLUDE_PATH", ""}, {"CPLUS_INCLUDE_PATH", ""}};
  return environment;
}

Result<CompiledObject> compile_on_host(const CompileJob& job, const BuildOptions& options,
                                       std::span<const File> objects) {
  KMUX_ASSIGN(const std::string program, find_host_compiler(options));
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create());
  KMUX_TRY(write_all(folder, job, objects));
  HostCompiler compiler{program, folder};
  KMUX_TRY(compile_and_link(compiler, job, objects));
  KMUX_ASSIGN(std::string library, read_file(fs::path(folder.path()) / kLibrary));
  return CompiledObject{std::move(library), compiler.log, features_of(job), program};
}

}  // namespace kmux::cpu
