#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/compile.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/runtime.h"

namespace kmux {

/// The effect of calling a wrapper: lazy returns a Kernel, eager runs it. `kAuto` follows the function's type.
enum class JitMode : std::uint8_t { kAuto, kLazy, kEager };
/// Returns "auto", "lazy" or "eager".
KMUX_API std::string_view to_string(JitMode mode);

/// The options of a wrapper. An argument overrides the environment.
struct JitOptions {
  std::string target = {};             // empty: KMUX_TARGET, else "auto"; eager: "auto" is where the tensors are
  std::string execution_backend = {};  // empty: KMUX_EXECUTION_BACKEND, else "auto"; a name is exact
  std::string target_host = {};  // as in CompileOptions
  std::vector<int> out_idx = {};  // lazy only: outputs by position, negative from the end
  std::optional<bool> verbose = {};  // as in CompileOptions
  Options options = {};  // options of the backend ("engine" -> "host"); unknown ones are invalid
  std::vector<std::string> compile_flags = {};  // appended to the compiler's
  /// The folder for the source, launcher and IR of each kernel, relative to the current directory when the wrapper is
  /// made. Empty: none are written.
  std::string debug_root_path = {};
  JitMode mode = JitMode::kAuto;  // kAuto: by the type of the function
  std::string name = "kernel";  // of the function: the name of an eager program, and of the wrapper in messages
  std::string function_source = {};  // of the function, if the caller has it; stored with the debug files

  std::vector<std::string> include_dirs = {};  // as in CompileOptions
  std::optional<int> device = {};  // ordinal; eager: default the device of the tensors
  bool use_cache = true;  // the runtime's; a wrapper always keeps its own kernels
  std::optional<Isolation> isolation = {};  // as in CompileOptions
  std::optional<double> compile_timeout_s = {};  // as in CompileOptions
  std::optional<Policy> policy = {};  // as in CompileOptions
  std::string lock_file = {};  // as in CompileOptions
  Shared<Runtime> runtime = {};  // null: the default one
};

/// Returns the options of `compile`.
KMUX_API CompileOptions compile_options(const JitOptions& options);

/// Returns the mode of a wrapper whose function has mode `inferred`.
///
/// Errors: invalid_argument for another mode in `options`, or for out_idx with eager.
KMUX_API Result<JitMode> jit_mode(JitMode inferred, const JitOptions& options);

}  // namespace kmux
