#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/launch_check.h"

#include "check/fiber_launch.h"
#include "engine/installation.h"
#include "engine/source_functions.h"
#include "spmd/block_shape.h"

namespace kmux::cpu {

/// How much work goes into the code. Results are the same bit for bit: neither tier changes floating-point arithmetic
/// beyond what the sources' own flags allow.
enum class Tier {
  kFast,  // for short compile times; vector code only where the source asks for it
  kFull,  // all optimizations of option opt_level
};

constexpr std::string_view name_of(Tier tier) { return tier == Tier::kFast ? "fast" : "full"; }

enum class Language { kC, kCpp, kCuda };

/// Returns the name of the variable by which a source points to the job's kernel number `kernel`, if the kernel's name
/// is an expression.
inline std::string instance_of(std::size_t kernel) { return "kmux_instance_" + std::to_string(kernel); }

/// The variable by which a source points to constant number `constant` of the program. In the object it is the constant
/// itself.
inline constexpr const char* kConstantSymbol = "kmux_constant_";
inline std::string constant_symbol(std::size_t constant) { return kConstantSymbol + std::to_string(constant); }

/// The folder of the plugin's own headers for GPU kernels among the files of a job, the same for every job.
inline constexpr std::string_view kDeviceFolder = "kmux-device/";

/// The file in that folder with the program's macros of the command line, included after the headers that must not see
/// them.
inline constexpr std::string_view kMacrosPath = "kmux-device/kmux/macros.h";

/// A source file and how it is compiled.
struct Unit {
  std::string path;  // of one of the job's files
  Language language = Language::kC;
  std::vector<std::string> arguments;  // of the compiler's driver: "-std=c11", "-DN=4"
};

/// All inputs of one object.
struct CompileJob {
  std::vector<File> files;  // sources and headers; `#include` finds them by their relative paths
  std::vector<File> uncut = {};  // the program's own files with their code for the host, if that was removed
  std::vector<Unit> units;
  std::string launcher;  // C++ text of the only function that stays visible
  std::string entry;  // its name
  std::vector<std::string> kernels;  // functions of the units that the launcher calls
  std::vector<std::vector<KernelArgument>> passed = {};  // to each of these; empty: not checked before linking
  std::vector<Constant> constants = {};  // of the program, which stay visible
  BlockExtents blocks = {};  // of kernels written for one thread of a GPU; none in C and C++
  CheckOptions check = {};  // of those kernels
  std::string cpu;  // LLVM's name; for this machine's own, only the features that it really has
  std::string launcher_cpu = {};  // empty: `cpu`
  int opt_level = 3;
  Tier tier = Tier::kFull;
  bool has_lines = false;  // true if the line of each instruction must be known
  std::string launch_in_kernel = {};  // "k.cu:7" of a launch in code for a GPU; empty if the code has none
  std::vector<std::string> folders_of_user = {};  // of headers that the user names, and not the program
  std::string header_stamp = {};  // changes with any header that the sources may read; empty: unknown
};

struct CompiledObject {
  std::string object;  // ELF, relocatable
  std::string log;  // warnings
  std::vector<std::string> features;  // instruction-set features that its code may use
  std::string compiler;  // the compiler that built it
  std::vector<Error> on_fibers = {};  // why kernels for one thread could not be vectorized
  std::vector<std::string> variables = {};  // of the sources, which keep their values between launches
  int preambles = 0;  // sources whose first headers had been compiled in advance
};

/// Compiles C and C++ to an object file, in this process and without temporary files.
///
/// All units and the launcher become one module in which only the launcher is visible, so that its constants reach the
/// kernels. The headers at the beginning of a source are compiled in advance for the next source with the same
/// beginning. That changes neither code nor messages.
/// Threads: any, concurrently.   Lifetime: keeps the compiler's argument lists.
class Compiler {
 public:
  Compiler();
  ~Compiler();

  /// Returns the object of `job`.
  ///
  /// Errors: compile_failed with the messages, in the user's lines, as note "log"; compile_failed that lists the
  ///         functions if a kernel is not defined; invalid_argument if a kernel is called with other types than its
  ///         own; unsupported for constructs that only a GPU has; unavailable if the compiler's library is missing.
  Result<CompiledObject> compile(const CompileJob& job);

  /// Returns the functions that the job's only unit defines. Uses nothing else of the job but its files and arguments.
  ///
  /// Errors: compile_failed with the messages if the source has errors, unless the first is about a header and some
  ///         function is found.
  Result<SourceFunctions> functions(const CompileJob& job);

  /// Returns the header folders of the compiler and the machine, in search order.
  Result<std::vector<std::string>> system_folders(const CompileJob& job, Language language);

  /// Blocks until no headers are being compiled in advance. For tests.
  void wait_for_preambles();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the processor `name` with the features that its name promises; empty if LLVM does not know it.
std::optional<Processor> find_cpu(std::string_view name);

/// Returns the files that Clang and LLVM are loaded from, each once; none if they are part of the caller's file.
std::vector<std::string> compiler_libraries();

}  // namespace kmux::cpu
