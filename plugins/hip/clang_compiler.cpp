#include "clang_compiler.h"

#include <filesystem>

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/words.h"

#include "built_in_headers.h"
#include "compiler_choice.h"
#include "target.h"

namespace kmux {

extern const std::string_view hip_device_text;  // device/builtins.h

namespace hip {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kPrograms = {"clang++-19", "clang++-20", "clang++"};
constexpr const char* kDeviceLibrary = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";  // Debian's rocm-device-libs
constexpr const char* kBuiltins = "kmux-builtins.h";
constexpr const char* kMain = "kmux-unit.hip";
constexpr const char* kCode = "kmux-out.co";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// "clang++-19" goes with "ld.lld-19", which Clang looks for beside itself under its plain name.
std::string find_linker(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  const std::size_t dash = name.rfind('-');
  const std::string versioned = dash == name.npos ? "ld.lld" : "ld.lld" + name.substr(dash);
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  for (const fs::path& path : {real.parent_path() / "ld.lld", fs::path(program).parent_path() / versioned}) {
    if (!error && is_there(path)) return path.string();
  }
  return find_program(versioned).value_or("");
}

Error no_clang(const std::string& tried) {
  return make_error(ErrorCode::kUnavailable, "clang++ is not there (tried " + tried +
                                                 "). Install clang-19 and lld-19, or set KMUX_HIP_CLANG to clang++.");
}

Error no_linker(const std::string& program) {
  return make_error(ErrorCode::kUnavailable,
                    "the linker of \"" + program + "\" is not there (ld.lld of its version). Install lld-19.");
}

// gfx90a is 9010, gfx1100 is 11000: the last two places are hexadecimal digits.
std::string isa_version(std::string_view arch) {
  const std::string_view number = arch.substr(3);
  const std::size_t majors = number.size() - 2;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  const int major = std::stoi(std::string(number.substr(0, majors)));
  return std::to_string(major * 1000 + digit(number[majors]) * 100 + digit(number[majors + 1]));
}

void add_bitcode(std::vector<std::string>& arguments, const fs::path& file) {
  for (const char* word : {"-Xclang", "-mlink-builtin-bitcode", "-Xclang"}) arguments.emplace_back(word);
  arguments.push_back(file.string());
}

// The device library, and the constants that it asks for the choices made here.
void add_device_library(std::vector<std::string>& arguments, const fs::path& folder, std::string_view arch, bool fast) {
  for (const char* name : {"ocml.bc", "oclc_daz_opt_off.bc", "oclc_correctly_rounded_sqrt_on.bc",
                           "oclc_abi_version_500.bc", fast ? "oclc_unsafe_math_on.bc" : "oclc_unsafe_math_off.bc",
                           fast ? "oclc_finite_only_on.bc" : "oclc_finite_only_off.bc",
                           wavefront_size(arch) == 64 ? "oclc_wavefrontsize64_on.bc" : "oclc_wavefrontsize64_off.bc"}) {
    add_bitcode(arguments, folder / name);
  }
  arguments.push_back("-DKMUX_ISA_VERSION=" + isa_version(arch));
}

std::vector<std::string> arguments_of(const ClangToolchain& clang, const Settings& settings,
                                      const BuildOptions& options, std::string_view arch) {
  std::vector<std::string> arguments = {"-x",
                                        "hip",
                                        "--offload-arch=" + std::string(arch),
                                        "-nogpulib",
                                        "-nogpuinc",
                                        "--offload-device-only",
                                        "--no-gpu-bundle-output",
                                        "-O3",
                                        "--ld-path=" + clang.linker};
  const bool fast = options.fast_math || settings.fast_math;
  add_standard(arguments, settings, options.compile_flags);
  if (fast) arguments.emplace_back("-ffast-math");
  if (!clang.device_library.empty()) add_device_library(arguments, clang.device_library, arch, fast);
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  arguments.emplace_back("-I.");
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  return arguments;
}

std::string main_text(const SourceUnit& unit, const std::vector<std::string>& names) {
  std::string text = std::string("#include \"") + kBuiltins + "\"\n";
  for (const std::string& prelude : unit.preludes) text += "#include \"" + prelude + "\"\n";
  return text + "#line 1 \"" + unit.path + "\"\n" + unit.text + "\n" + instantiations(names);
}

Status write_all(const PrivateFolder& folder, const SourceUnit& unit, const std::vector<std::string>& names) {
  KMUX_TRY(folder.write(kBuiltins, hip_device_text));
  for (const char* header : kBuiltInHeaders) KMUX_TRY(folder.write(header, ""));
  for (const File& file : unit.files) KMUX_TRY(folder.write(file.path, file.content));
  return folder.write(kMain, main_text(unit, names));
}

}  // namespace

Result<ClangToolchain> find_clang(const Host& host) {
  std::vector<std::string> names(kPrograms.begin(), kPrograms.end());
  if (const auto named = host.option("hip.clang"); named && !named->empty()) names = {*named};
  for (const std::string& name : names) {
    const auto program = find_program(name);
    if (!program) continue;
    const std::string linker = find_linker(*program);
    if (linker.empty()) return no_linker(*program);
    return ClangToolchain{*program, linker, is_there(fs::path(kDeviceLibrary) / "ocml.bc") ? kDeviceLibrary : ""};
  }
  return no_clang(join(names));
}

Result<Compiled> compile_with_clang(const ClangToolchain& clang, const SourceUnit& unit, const Settings& settings,
                                    const BuildOptions& options, std::string_view arch,
                                    const std::vector<std::string>& names) {
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-hip"));
  KMUX_TRY(write_all(folder, unit, names));
  Compiled compiled{.code = {}, .compiler = clang.program, .arguments = arguments_of(clang, settings, options, arch)};
  Command command = compiler_command({clang.program}, folder.path());
  command.argv.insert(command.argv.end(), compiled.arguments.begin(), compiled.arguments.end());
  command.argv.insert(command.argv.end(), {"-o", kCode, kMain});
  KMUX_ASSIGN(ProcessResult result, run(command));
  if (result.exit_code != 0) {
    return compile_error("cannot compile \"" + unit.path + "\" with Clang", result.standard_error)
        .with("command", to_string(command));
  }
  compiled.log = std::move(result.standard_error);
  KMUX_ASSIGN(compiled.code, read_file(fs::path(folder.path()) / kCode));
  return compiled;
}

}  // namespace hip
}  // namespace kmux
