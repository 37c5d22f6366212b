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

/// How much work goes into the code. Its results are the same bit for bit: neither tier takes liberties with
/// floating-point arithmetic that the sources' own flags do not allow.
enum class Tier {
  kFast,  // so that a kernel can be called soon; vector code only where the source asks for it
  kFull,  // everything that option opt_level stands for
};

constexpr std::string_view name_of(Tier tier) { return tier == Tier::kFast ? "fast" : "full"; }

enum class Language { kC, kCpp, kCuda };

/// The variable by which a source says which function the job's kernel number `kernel` is, if its name is an expression.
inline std::string instance_of(std::size_t kernel) { return "kmux_instance_" + std::to_string(kernel); }

/// The variable by which a source says where constant number `constant` of the program is; in the object it is the constant itself.
inline constexpr const char* kConstantSymbol = "kmux_constant_";
inline std::string constant_symbol(std::size_t constant) { return kConstantSymbol + std::to_string(constant); }

/// Where the files of a job have the plugin's own headers for kernels of GPUs, the same for every job.
inline constexpr std::string_view kDeviceFolder = "kmux-device/";

/// Among them, where a program has macros of its own on the command line: these, behind what may not see them.
inline constexpr std::string_view kMacrosPath = "kmux-device/kmux/macros.h";

/// A source file and how it is compiled.
struct Unit {
  std::string path;  // of one of the job's files
  Language language = Language::kC;
  std::vector<std::string> arguments;  // of the compiler's driver: "-std=c11", "-DN=4"
};

/// Everything that one object is made from.
struct CompileJob {
  std::vector<File> files;  // sources and headers; `#include` finds them by their relative paths
  std::vector<File> uncut = {};  // the program's own of these with their code for the host, if that was cut
  std::vector<Unit> units;
  std::string launcher;  // C++ text of the only function that stays visible
  std::string entry;  // its name
  std::vector<std::string> kernels;  // functions of the units that the launcher calls
  std::vector<std::vector<KernelArgument>> passed = {};  // to each of these; empty: not compared before they are linked
  std::vector<Constant> constants = {};  // of the program, which stay visible
  BlockExtents blocks = {};  // of kernels written for one thread of a GPU; none in C and C++
  CheckOptions check = {};  // of those kernels
  std::string cpu;  // LLVM's name; this machine's own means only what this machine really has
  std::string launcher_cpu = {};  // empty: `cpu`
  int opt_level = 3;
  Tier tier = Tier::kFull;
  bool has_lines = false;  // is it to be known which line an instruction comes from?
  std::string launch_in_kernel = {};  // "k.cu:7" of a launch in code for a GPU; empty: there is none
  std::vector<std::string> folders_of_user = {};  // of headers that the user names, and not the program
  std::string header_stamp = {};  // other when any header that the sources may read is; empty if that is unknown
};

struct CompiledObject {
  std::string object;  // ELF, relocatable
  std::string log;  // warnings
  std::vector<std::string> features;  // instruction-set features that its code may use
  std::string compiler;  // what made it
  std::vector<Error> on_fibers = {};  // kernels for one thread that could not be widened: why
  std::vector<std::string> variables = {};  // of the sources, which keep their values from one launch to the next
  int preambles = 0;  // sources whose first headers had been compiled in advance
};

/// Compiles C and C++ to an object file, in this process and without temporary files.
///
/// All units and the launcher become one module in which only the launcher is visible, so that kernels can be inlined
/// into it. The headers at the beginning of a source are compiled in advance for the next source that begins so; that
/// changes neither code nor messages.
/// Threads: any, concurrently.   Lifetime: keeps the compiler's argument lists.
class Compiler {
 public:
  Compiler();
  ~Compiler();

  /// Errors: compile_failed with the messages, in the user's lines, as note "log", and if a kernel is not defined, with the
  /// functions there are; invalid_argument if one is called with other types than it has; unavailable without Clang's headers.
  Result<CompiledObject> compile(const CompileJob& job);

  /// The functions that the job's only unit defines. Nothing else of the job but its files is looked at.
  ///
  /// Errors: compile_failed with the messages where it found none.
  Result<SourceFunctions> functions(const CompileJob& job);

  /// The folders of headers that belong to the compiler and the machine, in the order of the search.
  Result<std::vector<std::string>> system_folders(const CompileJob& job, Language language);

  /// Waits for headers that are being compiled in advance, for tests.
  void wait_for_preambles();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The processor `name` with the features its name promises; nothing if LLVM does not know it.
std::optional<Processor> find_cpu(std::string_view name);

/// The files that Clang and LLVM are loaded from, each once; none if they are part of the file that asks.
std::vector<std::string> compiler_libraries();

}  // namespace kmux::cpu
