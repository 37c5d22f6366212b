#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kmux/compile.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/runtime.h"

namespace kmux {

/// The effect of calling a wrapper: lazy returns a Kernel, eager runs it. `kAuto` follows the function's type.
enum class JitMode : std::uint8_t { kAuto, kLazy, kEager };
/// Returns "auto", "lazy" or "eager".
KMUX_API std::string_view to_string(JitMode mode);

/// The options of a wrapper, besides those of its compilations.
struct JitOptions {
  JitMode mode = JitMode::kAuto;  // kAuto: by the type of the function
  std::string name = "kernel";  // of the function: the name of an eager program, and of the wrapper in messages
  /// The folder for the source, launcher and IR of each kernel, relative to the current directory when the wrapper is
  /// made. Empty: none are written.
  std::string debug_root_path = {};
  std::string function_source = {};  // of the function, if the caller has it; stored with the debug files
  Shared<Runtime> runtime = {};  // null: the default one
};

/// Returns the mode of a wrapper whose function has mode `inferred`.
///
/// Errors: invalid_argument for another mode in `options`, or for out_idx with eager.
KMUX_API Result<JitMode> jit_mode(JitMode inferred, const CompileOptions& compile, const JitOptions& options);

}  // namespace kmux
