#include "compiler_choice.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
#include <unistd.h>

#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/word_list.h"

#include "device.h"
#include "hiprtc_library.h"

namespace kmux::hip {
namespace {

constexpr const char* kEmpty = "\n";

std::vector<std::string> folders_of(const BuildOptions& options) {
  std::vector<std::string> folders = options.include_dirs;
  for (const std::string& flag : options.compile_flags) {
    if (flag.starts_with("-I")) folders.push_back(flag.substr(2));
  }
  return folders;
}

bool is_in_one(const std::vector<std::string>& folders, const char* path) {
  return std::ranges::any_of(folders, [path](const std::string& folder) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(folder) / path, error);
  });
}

std::string_view past_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first);
}

/// Removes `word` and the blanks before it from the beginning of `text`. Returns false if `text` has another word.
bool take_word(std::string_view& text, std::string_view word) {
  text = past_blanks(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Returns the name in a line `#include <name>`; empty for any other line.
std::string angled_include(std::string_view line) {
  if (!take_word(line, "#") || !take_word(line, "include") || !take_word(line, "<")) return "";
  return std::string(line.substr(0, line.find('>')));
}

std::vector<std::string> angled_includes(const SourceUnit& unit) {
  std::vector<std::string> names;
  const auto read = [&](const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (std::string name = angled_include(line); !name.empty()) names.push_back(std::move(name));
    }
  };
  read(unit.text);
  for (const File& file : unit.files) read(file.content);
  return names;
}

}  // namespace

bool includes_others(const SourceUnit& unit, const BuildOptions& options) {
  const std::vector<File> given = files_for_hiprtc(unit, options);
  const std::vector<std::string> folders = folders_of(options);
  return std::ranges::any_of(angled_includes(unit), [&](const std::string& name) {
    return std::ranges::find(given, name, &File::path) == given.end() && !is_in_one(folders, name.c_str());
  });
}

std::vector<File> files_for_hiprtc(const SourceUnit& unit, const BuildOptions& options) {
  std::vector<File> files = unit.files;
  for (File& file : files) {
    if (file.content.empty()) file.content = kEmpty;
  }
  const std::vector<std::string> folders = folders_of(options);
  for (const char* header : kBuiltInHeaders) {
    const bool is_own = std::ranges::find(unit.files, header, &File::path) != unit.files.end();
    if (!is_own && !is_in_one(folders, header)) files.push_back({header, kEmpty});
  }
  return files;
}

}  // namespace kmux::hip

namespace kmux {

extern const std::string_view hip_device_text;  // device/, and files of plugins/simt/frontend/device

namespace hip {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kPrograms = {"clang++-19", "clang++-20", "clang++"};
constexpr const char* kRocm = "/opt/rocm";
constexpr const char* kRuntimeHeader = "include/hip/hip_runtime.h";
constexpr const char* kBuiltins = "kmux-builtins.h";
constexpr const char* kMain = "kmux-unit.hip";
constexpr const char* kCode = "/kmux-out.co";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Returns the linker for `program`: "ld.lld" beside the resolved Clang, or "ld.lld-19" for "clang++-19" beside it or in
// PATH.
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

// Returns ROCm's folders: the user's option first, then the default.
std::vector<fs::path> rocm_folders(const Host& host) {
  std::vector<fs::path> folders;
  if (const auto named = host.option("hip.rocm_path"); named && !named->empty()) folders.emplace_back(*named);
  folders.emplace_back(kRocm);
  return folders;
}

// Returns the folders of an installation that may hold the device library: a separate one, and those of its Clang.
std::vector<fs::path> libraries_in(const fs::path& rocm) {
  std::vector<fs::path> folders = {rocm / "amdgcn/bitcode"};
  for (const char* const llvm : {"lib/llvm/lib/clang", "llvm/lib/clang"}) {
    for (const fs::path& version : entries_in(rocm / llvm)) {
      folders.push_back(version / "lib/amdgcn/bitcode");
      folders.push_back(version / "amdgcn/bitcode");
    }
  }
  return folders;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Returns the folder with ocml.bc for `program`; empty if no folder has it.
std::string find_device_library(const Host& host, const std::string& program) {
  std::vector<fs::path> folders = {fs::path("/usr/lib") / kMultiarch / "amdgcn/bitcode"};  // Debian's rocm-device-libs
  for (const fs::path& rocm : rocm_folders(host)) {
    const std::vector<fs::path> own = libraries_in(rocm);
    folders.insert(is_below(program, rocm) ? folders.begin() : folders.end(), own.begin(), own.end());
  }
  const auto found = std::ranges::find_if(folders, [](const fs::path& folder) { return is_there(folder / "ocml.bc"); });
  return found == folders.end() ? "" : found->string();
}

// Returns the ROCm of `program` if it has this Clang, the device library and the headers; otherwise an empty path.
std::string find_rocm(const Host& host, const std::string& program, const std::string& device_library) {
  for (const fs::path& rocm : rocm_folders(host)) {
    const bool is_its = is_below(program, rocm) && is_below(device_library, rocm);
    if (is_its && is_there(rocm / kRuntimeHeader)) return rocm.string();
  }
  return "";
}

std::vector<std::string> usual_programs(const Host& host) {
  std::vector<std::string> names;
  for (const fs::path& rocm : rocm_folders(host)) {
    const fs::path program = rocm / "llvm/bin/clang++";
    if (is_there(program)) names.push_back(program.string());
  }
  names.insert(names.end(), kPrograms.begin(), kPrograms.end());
  return names;
}

// Searches PATH for a name; uses a path as it is.
std::optional<std::string> program_of(const std::string& name) {
  if (name.find('/') == name.npos) return find_program(name);
  return access(name.c_str(), X_OK) == 0 ? std::optional(absolute_path(name).string()) : std::nullopt;
}

Error no_clang(const std::string& tried) {
  return make_error(ErrorCode::kUnavailable, "clang++ is not there (tried " + tried +
                                                 "). Install clang-19 and lld-19, or set KMUX_HIP_CLANG to clang++.");
}

Error no_linker(const std::string& program) {
  return make_error(ErrorCode::kUnavailable,
                    "the linker of \"" + program + "\" is not there (ld.lld of its version). Install lld-19.");
}

// Returns 9010 for gfx90a, 11000 for gfx1100: the last two characters are hexadecimal digits. A generic architecture
// has 0 for missing digits: 10300 for gfx10-3-generic, 11000 for gfx11-generic.
std::string isa_version(std::string_view arch) {
  std::string number(arch.substr(3));
  if (is_generic(arch)) {
    number.erase(number.find("-generic"));
    const std::size_t dash = number.find('-');
    number = dash == number.npos ? number + "00" : number.erase(dash, 1) + "0";
  }
  const std::size_t majors = number.size() - 2;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  const int major = std::stoi(number.substr(0, majors));
  return std::to_string(major * 1000 + digit(number[majors]) * 100 + digit(number[majors + 1]));
}

// Returns true if the code's wavefronts have 64 threads, by the architecture or the last flag.
bool is_wave64(std::string_view arch, const BuildOptions& options) {
  bool is = wavefront_size(arch) == 64;
  for (const std::string& flag : options.compile_flags) {
    if (flag == "-mwavefrontsize64") is = true;
    if (flag == "-mno-wavefrontsize64") is = false;
  }
  return is;
}

void add_bitcode(std::vector<std::string>& arguments, const fs::path& file) {
  for (const char* word : {"-Xclang", "-mlink-builtin-bitcode", "-Xclang"}) arguments.emplace_back(word);
  arguments.push_back(file.string());
}

// Adds the device library, and the bitcode files whose constants configure it; later releases lack some of them.
void add_device_library(std::vector<std::string>& arguments, const fs::path& folder, std::string_view arch, bool fast,
                        bool is_wave64) {
  for (const char* name :
       {"ocml.bc", "oclc_daz_opt_off.bc", "oclc_correctly_rounded_sqrt_on.bc", "oclc_abi_version_500.bc",
        fast ? "oclc_unsafe_math_on.bc" : "oclc_unsafe_math_off.bc", "oclc_finite_only_off.bc",
        is_wave64 ? "oclc_wavefrontsize64_on.bc" : "oclc_wavefrontsize64_off.bc"}) {
    if (is_there(folder / name)) add_bitcode(arguments, folder / name);
  }
  arguments.push_back("-DKMUX_ISA_VERSION=" + isa_version(arch));
}

std::vector<std::string> arguments_of(const ClangToolchain& clang, const Settings& settings,
                                      const BuildOptions& options, std::string_view arch) {
  std::vector<std::string> arguments = {"-x",
                                        "hip",
                                        "--offload-arch=" + std::string(arch),
                                        "--offload-device-only",
                                        "--no-gpu-bundle-output",
                                        "-O3",
                                        "--ld-path=" + clang.linker};
  const bool fast = options.fast_math || settings.fast_math;
  add_standard(arguments, settings, options.compile_flags);
  // Not -ffast-math, which promises that no value is infinite or NaN (docs/dispatch-ir.md).
  if (fast) arguments.insert(arguments.end(), {"-ffp-contract=fast-honor-pragmas", "-fapprox-func"});
  if (!clang.rocm.empty()) {
    arguments.push_back("--rocm-path=" + clang.rocm);
    arguments.push_back("--rocm-device-lib-path=" + clang.device_library);
  } else {
    arguments.insert(arguments.end(), {"-nogpulib", "-nogpuinc"});
    if (!clang.device_library.empty()) {
      add_device_library(arguments, clang.device_library, arch, fast, is_wave64(arch, options));
    }
  }
  if (is_generic(arch)) arguments.emplace_back("-mcode-object-version=6");
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  for (const std::string& flag : options.compile_flags) arguments.push_back(in_program(flag, kProgramFolder));
  arguments.push_back("-I" + std::string(kProgramFolder));
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  return arguments;
}

// The text before every source with ROCm's headers: the declarations that are built into hiprtc.
constexpr const char* kRocmIncludes = "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n";

std::string main_text(const ClangToolchain& clang, const SourceUnit& unit, std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return name.starts_with('&'); });  // the code has their symbols
  std::string text = clang.rocm.empty() ? "" : kRocmIncludes;
  for (const std::string& prelude : unit.preludes) text += "#include \"" + prelude + "\"\n";
  return text + "#line 1 \"" + unit.path + "\"\n" + unit.text + "\n" + name_table(names);
}

Status write_all(const CompilationFolder& folder, const ClangToolchain& clang, const SourceUnit& unit,
                 const std::vector<std::string>& names) {
  const bool has_rocm = !clang.rocm.empty();
  if (!has_rocm) KMUX_TRY(folder.write_own(kBuiltins, hip_device_text));
  for (const std::string_view header : kBuiltInHeaders) {
    if (!has_rocm || !header.starts_with("hip/")) KMUX_TRY(folder.write_own(std::string(header), ""));
  }
  KMUX_TRY(folder.write_program(unit.files));
  return folder.write_unit(kMain, main_text(clang, unit, names));
}

// Returns the arguments that contain random folder names. Headers of kmux come after the program's and the user's.
std::vector<std::string> file_arguments(const CompilationFolder& folder, const ClangToolchain& clang) {
  std::vector<std::string> arguments = {"-ffile-prefix-map=" + std::string(kProgramFolder) + "/=",
                                        "-ffile-prefix-map=" + folder.own() + "/=", "-I" + folder.own()};
  if (clang.rocm.empty()) arguments.insert(arguments.end(), {"-include", folder.own() + "/" + kBuiltins});
  arguments.insert(arguments.end(), {"-o", folder.own() + kCode, std::string(kUnitFolder) + "/" + kMain});
  return arguments;
}

}  // namespace

Result<ClangToolchain> find_clang(const Host& host) {
  const auto named = host.option("hip.clang");
  const bool is_named = named && !named->empty();
  const std::vector<std::string> names = is_named ? std::vector{*named} : usual_programs(host);
  for (const std::string& name : names) {
    const auto program = program_of(name);
    if (!program) continue;
    const std::string linker = find_linker(*program);
    if (linker.empty()) return no_linker(*program);
    const std::string library = find_device_library(host, *program);
    return ClangToolchain{*program, linker, library, find_rocm(host, *program, library)};
  }
  return no_clang(join(names));
}

Result<Compiled> compile_with_clang(const ClangToolchain& clang, const SourceUnit& unit, const Settings& settings,
                                    const BuildOptions& options, std::string_view arch,
                                    const std::vector<std::string>& names) {
  KMUX_ASSIGN(const CompilationFolder folder, CompilationFolder::create("kmux-hip"));
  KMUX_TRY(write_all(folder, clang, unit, names));
  Compiled compiled{.code = {}, .compiler = clang.program, .arguments = arguments_of(clang, settings, options, arch)};
  Command command = compiler_command({clang.program}, folder);
  std::vector<std::string>& reads = command.confinement->reads;
  std::ranges::move(folders_of_user(options.include_dirs, options.compile_flags, settings), std::back_inserter(reads));
  reads.insert(reads.end(), {clang.rocm, clang.device_library, installation_of(clang.linker)});
  command.argv.insert(command.argv.end(), compiled.arguments.begin(), compiled.arguments.end());
  std::ranges::move(file_arguments(folder, clang), std::back_inserter(command.argv));
  KMUX_ASSIGN(ProcessResult result, run(command));
  std::string log = folder.without_folders(std::move(result.standard_error));
  if (result.exit_code != 0) {
    return compile_error("cannot compile \"" + unit.path + "\" with Clang", log).with("command", to_string(command));
  }
  compiled.log = std::move(log);
  KMUX_ASSIGN(compiled.code, read_file(folder.own() + kCode));
  return compiled;
}

}  // namespace hip
}  // namespace kmux

namespace kmux::hip {
namespace {

Result<CompilerChoice> with_clang(const Host& host) {
  KMUX_ASSIGN(ClangToolchain clang, find_clang(host));
  return CompilerChoice{{}, std::move(clang)};
}

Result<CompilerChoice> choose_any(const Host& host, std::string_view arch, Includes includes) {
  auto hiprtc = HiprtcLibrary::open(host);
  const bool knows = hiprtc && hiprtc->knows(arch);
  if (knows && includes == Includes::kBuiltIn) return CompilerChoice{*std::move(hiprtc), {}};
  auto clang = with_clang(host);
  if (knows && !clang) return CompilerChoice{*std::move(hiprtc), {}};
  if (clang || hiprtc) return clang;
  return make_error(ErrorCode::kUnavailable, "no compiler for AMD's devices is there. " + hiprtc.error().message +
                                                 " Or: " + clang.error().message);
}

}  // namespace

Result<CompilerChoice> choose_compiler(const Host& host, Engine engine, std::string_view arch, Includes includes) {
  if (engine == Engine::kClang) return with_clang(host);
  if (engine == Engine::kAuto) return choose_any(host, arch, includes);
  KMUX_ASSIGN(HiprtcLibrary hiprtc, HiprtcLibrary::open(host));
  return CompilerChoice{std::move(hiprtc), {}};
}

Json identify(const CompilerChoice& choice) {
  if (choice.hiprtc) return Json::Object{{"hiprtc", identify_file(choice.hiprtc->path())}};
  Json::Array files = {identify_compiler(choice.clang->program), identify_file(choice.clang->linker)};
  if (!choice.clang->device_library.empty()) files.push_back(identify_file(choice.clang->device_library + "/ocml.bc"));
  if (!choice.clang->rocm.empty()) {
    for (const char* header : {kRuntimeHeader, "include/hip/hip_version.h"}) {
      files.push_back(identify_file((std::filesystem::path(choice.clang->rocm) / header).string()));
    }
  }
  return Json::Object{{"clang", std::move(files)}};
}

Result<Compiled> compile(const CompilerChoice& choice, const SourceUnit& unit, const Settings& settings,
                         const BuildOptions& options, std::string_view arch, const std::vector<std::string>& names) {
  if (choice.hiprtc) return compile_with_hiprtc(*choice.hiprtc, unit, settings, options, arch, names);
  return compile_with_clang(*choice.clang, unit, settings, options, arch, names);
}

}  // namespace kmux::hip
