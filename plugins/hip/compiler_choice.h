#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/source_unit.h"

#include "hiprtc_library.h"
#include "options.h"

namespace kmux::hip {

/// Debian's name of this architecture in the folders of libraries and headers.
#if defined(__aarch64__)
inline constexpr const char* kMultiarch = "aarch64-linux-gnu";
#else
inline constexpr const char* kMultiarch = "x86_64-linux-gnu";
#endif

/// Headers of HIP and CUDA that sources commonly include. Their declarations are built into hiprtc, and for Clang they
/// are in device/builtins.h or before every source. An empty header replaces each; with ROCm's headers, Clang uses
/// those of HIP.
inline constexpr std::array<const char*, 8> kBuiltInHeaders = {
    "hip/hip_runtime.h",    "hip/hip_runtime_api.h", "hip/hip_fp16.h",     "hip/hip_vector_types.h",
    "hip/math_functions.h", "cuda_runtime.h",        "cuda_runtime_api.h", "device_launch_parameters.h"};

/// Returns the headers for hiprtc: the files of `unit`, and those of `kBuiltInHeaders` that neither `unit` nor a folder
/// of `options` has.
///
/// Source: ROCm's clr, RTCCompileProgram::addHeader, which rejects a header without content: it is an empty line here.
std::vector<File> files_for_hiprtc(const SourceUnit& unit, const BuildOptions& options);

/// Returns true if an `#include <name>` of `unit` is neither in `files_for_hiprtc` nor in a folder of `options`. Such a
/// header is the machine's (<cstdint>), which hiprtc does not find or cannot compile beside its built-in declarations.
///
/// Ignores `#if`, so it may return true for an include that is skipped.
bool includes_others(const SourceUnit& unit, const BuildOptions& options);

struct Compiled;

/// Clang with its linker, as child processes.
struct ClangToolchain {
  std::string program;  // absolute
  std::string linker;  // lld of the same version, absolute
  std::string device_library;  // the folder of AMD's device library (ocml.bc), or empty
  std::string rocm = {};  // the ROCm of `program`, whose headers sources use; empty: they use those of device/
};

/// Finds clang++, lld beside it or in PATH, and its device library. Option "hip.clang" names clang++. The default is
/// ROCm's (llvm/bin of option "hip.rocm_path", else of /opt/rocm), else clang++-19, clang++-20 or clang++ in PATH.
///
/// ROCm's Clang uses ROCm's library and, if installed, ROCm's headers. Another Clang uses Debian's library if there is
/// one, since ROCm's may be too new for it, and the headers of device/.
///
/// Errors: unavailable that lists the tried programs and the packages to install.
Result<ClangToolchain> find_clang(const Host& host);

/// Compiles as `compile` does, with Clang. Does not require HIP's headers: without them, device/builtins.h and the
/// files beside it have the declarations.
Result<Compiled> compile_with_clang(const ClangToolchain& clang, const SourceUnit& unit, const Settings& settings,
                                    const BuildOptions& options, std::string_view arch,
                                    const std::vector<std::string>& names);

/// The compiler of a build: hiprtc or Clang.
struct CompilerChoice {
  std::optional<HiprtcLibrary> hiprtc = {};
  std::optional<ClangToolchain> clang = {};  // set if `hiprtc` is not
};

/// Whether the sources include only headers built into hiprtc, or others too.
enum class Includes { kBuiltIn, kOthers };

/// Returns the compiler of option "engine". For "auto": hiprtc if it is installed, supports `arch` and has the included
/// headers, else Clang. Without Clang, hiprtc is used even for headers that it may lack.
///
/// Errors: unavailable that lists everything that was tried and the packages to install.
Result<CompilerChoice> choose_compiler(const Host& host, Engine engine, std::string_view arch,
                                       Includes includes = Includes::kBuiltIn);

/// Returns the identity of the compiler's files, for the identity of a toolchain. Starts no process.
Json identify(const CompilerChoice& choice);

/// A source unit, compiled.
struct Compiled {
  std::string code;
  std::string log = {};  // warnings
  std::string compiler = {};  // "hiprtc of HIP 5.2", "/usr/bin/clang++-19"
  std::vector<std::string> symbols = {};  // of the requested names, if the compiler reports symbols
  std::vector<std::string> arguments = {};
  std::string name_errors = {};  // the compiler's log, if it compiled again without the names of kernels
};

/// Compiles `unit` for `arch`. `names` are the kernels' name expressions, and variables behind '&'. The result has
/// their symbols if the compiler can report them.
///
/// Errors: compile_failed with the compiler's text as note "log".
Result<Compiled> compile(const CompilerChoice& choice, const SourceUnit& unit, const Settings& settings,
                         const BuildOptions& options, std::string_view arch, const std::vector<std::string>& names);

/// Compiles as `compile` does, with hiprtc.
Result<Compiled> compile_with_hiprtc(const HiprtcLibrary& library, const SourceUnit& unit, const Settings& settings,
                                     const BuildOptions& options, std::string_view arch,
                                     const std::vector<std::string>& names);

}  // namespace kmux::hip
