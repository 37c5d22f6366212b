#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/launch_check.h"

#include "simt/analysis/block_shape.h"
#include "simt/analysis/names.h"
#include "simt/check/check_options.h"

namespace kmux::simt {

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

/// Returns the variable by which a source points to constant number `constant` of the program.
inline std::string constant_symbol(std::size_t constant) { return kConstantSymbol + std::to_string(constant); }

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

}  // namespace kmux::simt
