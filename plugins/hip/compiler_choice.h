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

/// What Debian calls this kind of machine, in the folders of its libraries and headers.
#if defined(__aarch64__)
inline constexpr const char* kMultiarch = "aarch64-linux-gnu";
#else
inline constexpr const char* kMultiarch = "x86_64-linux-gnu";
#endif

/// Headers of HIP and CUDA that sources include out of habit: what they declare is in hiprtc, and for Clang in
/// device/builtins.h or before every source. In their place stands a header without declarations; those of HIP are ROCm's own
/// where Clang is given these.
inline constexpr std::array<const char*, 8> kBuiltInHeaders = {
    "hip/hip_runtime.h",    "hip/hip_runtime_api.h", "hip/hip_fp16.h",     "hip/hip_vector_types.h",
    "hip/math_functions.h", "cuda_runtime.h",        "cuda_runtime_api.h", "device_launch_parameters.h"};

/// What hiprtc is given to include: the files of `unit`, and those of `kBuiltInHeaders` that neither these nor a folder of
/// `options` have.
///
/// Source: ROCm's clr, RTCCompileProgram::addHeader, which refuses a header without content: it is an empty line here.
std::vector<File> files_for_hiprtc(const SourceUnit& unit, const BuildOptions& options);

/// Does `unit` include, as `#include <name>`, a header that `files_for_hiprtc` and the folders of `options` have not? It is
/// the machine's then (<cstdint>), which hiprtc does not find or cannot compile beside what it has built in.
///
/// No `#if` is looked at, so the answer may be yes for what is left out.
bool includes_others(const SourceUnit& unit, const BuildOptions& options);

struct Compiled;

/// Clang with its linker, as child processes.
struct ClangToolchain {
  std::string program;  // absolute
  std::string linker;  // lld of the same version, absolute
  std::string device_library;  // the folder of AMD's device library (ocml.bc), or empty
  std::string rocm = {};  // the ROCm that `program` belongs to, whose headers sources get; empty: those of device/
};

/// Finds clang++ and lld beside it or in PATH, and the device library that goes with it. Without option "hip.clang" ROCm's own
/// is taken (llvm/bin/clang++ of option "hip.rocm_path", else of /opt/rocm), else clang++-19, clang++-20 or clang++ in PATH.
/// A Clang of ROCm's is given ROCm's library and, where they are installed, ROCm's headers; another one Debian's library before
/// ROCm's, which may be too new for it, and the headers of device/.
///
/// Errors: unavailable with what was tried and what to install.
Result<ClangToolchain> find_clang(const Host& host);

/// As `compile`, with Clang. HIP's headers are not needed: without them, what sources may use is in device/builtins.h and the files
/// beside it.
Result<Compiled> compile_with_clang(const ClangToolchain& clang, const SourceUnit& unit, const Settings& settings,
                                    const BuildOptions& options, std::string_view arch,
                                    const std::vector<std::string>& names);

/// The compiler of a build: hiprtc or Clang.
struct CompilerChoice {
  std::optional<HiprtcLibrary> hiprtc = {};
  std::optional<ClangToolchain> clang = {};  // set if the other is not
};

/// What the sources include besides what hiprtc has built in.
enum class Includes { kBuiltIn, kOthers };

/// What option "engine" asks for; "auto": hiprtc where it is there, knows `arch` and has what is included, else Clang; where
/// there is no Clang, hiprtc all the same for headers that it may not have.
///
/// Errors: unavailable, with everything that was tried and what to install.
Result<CompilerChoice> choose_compiler(const Host& host, Engine engine, std::string_view arch,
                                       Includes includes = Includes::kBuiltIn);

/// The files behind a choice, for the identity of a toolchain. Starts no process.
Json identify(const CompilerChoice& choice);

/// A source unit, compiled.
struct Compiled {
  std::string code;
  std::string log = {};  // warnings
  std::string compiler = {};  // "hiprtc of HIP 5.2", "/usr/bin/clang++-19"
  std::vector<std::string> symbols = {};  // of the asked names, where the compiler says them
  std::vector<std::string> arguments = {};
  std::string name_errors = {};  // the compiler's, where it was asked again without the names of kernels
};

/// Compiles `unit` for `arch`. `names` are those of the kernels that are name expressions, and
/// of variables behind '&', whose symbols a compiler that can say symbols says.
///
/// Errors: compile_failed with the compiler's text as note "log".
Result<Compiled> compile(const CompilerChoice& choice, const SourceUnit& unit, const Settings& settings,
                         const BuildOptions& options, std::string_view arch, const std::vector<std::string>& names);

/// As `compile`, with hiprtc.
Result<Compiled> compile_with_hiprtc(const HiprtcLibrary& library, const SourceUnit& unit, const Settings& settings,
                                     const BuildOptions& options, std::string_view arch,
                                     const std::vector<std::string>& names);

}  // namespace kmux::hip
