#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/compile_options.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/kernel.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

namespace kmux {

struct KernelText;

/// The result of `wrap`, which needs neither the toolchain nor a device.
struct WrapResult {
  Resolution resolution;  // how the backend was chosen
  std::string backend;  // its name
  std::size_t variant = 0;  // index in Program::variants
  Target target;  // canonical
  std::string launcher;  // source text, or a plan as JSON
};

/// Resolves and wraps `program`: returns its launcher, not compiled.
///
/// Errors: as `build`, except those of the compiler.
KMUX_API Result<WrapResult> wrap(Runtime& runtime, const Program& program, const CompileOptions& options = {});

/// The result of `build`, which needs no device.
struct BuildResult {
  Resolution resolution;  // how the backend was chosen
  std::string backend;  // its name
  std::size_t variant = 0;  // index in Program::variants
  Target target;  // canonical
  std::string launcher;  // source text, or a plan as JSON
  Artifact artifact;  // for Backend::load
  std::string tier = {};  // of the backend's tiers; empty if it has none
  bool from_cache = false;  // nothing was compiled
};

/// Resolves, wraps and builds `program`.
///
/// Errors: invalid_argument for an invalid program or option; unavailable or unsupported with every candidate's reason;
///         compile_failed with the compiler's log as note "log", and if an isolated compiler process crashes; timed_out
///         if it hangs. With "auto", a backend whose compiler returns `unsupported` is passed over, as the resolution
///         shows; after compile_failed, no other backend is tried.
KMUX_API Result<BuildResult> build(Runtime& runtime, const Program& program, const CompileOptions& options = {});
/// As above, with the default runtime.
KMUX_API Result<BuildResult> build(const Program& program, const CompileOptions& options = {});

/// Builds `program`, loads it on the device and returns it ready to be called.
///
/// A backend with tiers compiles the one that is quickest to compile, unless the best is in the cache. The best one is
/// compiled in the background and takes over between two calls (option "tier"; `Kernel::await_best`).
KMUX_API Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options = {});
/// As above, with the default runtime.
KMUX_API Result<Kernel> compile(const Program& program, const CompileOptions& options = {});

/// Compiles the kernel of a source and one or two lines of text, whose forms `kernel_program` documents.
KMUX_API Result<Kernel> kernel(Runtime& runtime, const KernelText& text, const CompileOptions& options = {});
/// As above, with the default runtime. `text` is a whole program in its text form, launches included.
KMUX_API Result<Kernel> kernel(std::string_view source, std::string_view text, const CompileOptions& options = {});

/// Resolves with the default runtime.
KMUX_API Result<Resolution> resolve(const Program& program, const CompileOptions& options = {},
                                    const ResolveOptions& how = {});

}  // namespace kmux
