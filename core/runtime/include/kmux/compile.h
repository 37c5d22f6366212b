#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/kernel.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

namespace kmux {

/// How a program is compiled. Every field has the meaning of TileLang's argument of that name; an argument beats the
/// environment.
struct CompileOptions {
  std::string target = {};             // empty: KMUX_TARGET, else "auto"
  std::string execution_backend = {};  // empty: KMUX_EXECUTION_BACKEND, else "auto"; a name is exact
  std::string target_host = {};  // what the launcher is for; "c" or "llvm" alone says nothing new, and a processor
      // ("llvm -mcpu=x86-64-v3") is for backends that compile launchers for others
  std::vector<int> out_idx = {};  // outputs by position, negative from the end; only if the signature has none
  std::optional<bool> verbose = {};
  std::optional<int> device = {};      // ordinal; default 0
  Options options = {};                // for the backend ("engine" -> "host"); an unknown name is an error
  std::vector<std::string> compile_flags = {};  // appended to the compiler's; split at blanks as a shell does
  std::vector<std::string> include_dirs = {};   // option "include_dirs", a line each
  bool use_cache = true;  // false: neither reads nor fills the cache, in memory or on disk
  /// Where the backend resolves and compiles; empty: KMUX_ISOLATION, else "none". "process": in a process of its own, so
  /// that a compiler that crashes or hangs is an error of this compile and no more.
  std::string isolation = {};
  /// The most that one step of the backend may take, only with isolation "process"; 0: no limit. Default:
  /// KMUX_COMPILE_TIMEOUT (seconds), else no limit.
  std::optional<std::chrono::milliseconds> compile_timeout = {};
  /// Which of the candidates that can is taken: "priority", "fast_start", "measured" or "pinned" (docs/auto.md). Empty:
  /// KMUX_POLICY, else "priority".
  std::string policy = {};
  std::string lock_file = {};  // of policy "pinned", written by `kmux tune --lock`; empty: KMUX_LOCK_FILE
  bool operator==(const CompileOptions&) const = default;
};

/// What `wrap` makes; needs neither the toolchain nor a device.
struct WrapResult {
  Resolution resolution;
  std::string backend;
  std::size_t variant = 0;
  Target target;
  std::string launcher;
};

/// Resolves and wraps `program`: its launcher, not compiled.
///
/// Errors: as `build`, but for those of the compiler.
KMUX_API Result<WrapResult> wrap(Runtime& runtime, const Program& program, const CompileOptions& options = {});

/// What `build` makes; needs no device.
struct BuildResult {
  Resolution resolution;
  std::string backend;
  std::size_t variant = 0;
  Target target;
  std::string launcher;
  Artifact artifact;
  std::string tier = {};  // of the backend's tiers; empty if it has none
  bool from_cache = false;
};

/// Resolves, wraps and builds `program`.
///
/// Errors: invalid_argument for an invalid program or option; unavailable or unsupported with every candidate's reason;
/// compile_failed with the compiler's log as note "log", and if a compiler in a process of its own crashes or hangs. With "auto", a backend whose compiler answers `unsupported` is
/// passed over and the resolution says so; compile_failed never is.
KMUX_API Result<BuildResult> build(Runtime& runtime, const Program& program, const CompileOptions& options = {});
KMUX_API Result<BuildResult> build(const Program& program, const CompileOptions& options = {});

/// Builds `program`, loads it on the device and returns it ready to be called.
///
/// A backend with tiers compiles its quickest one, unless the best is in the cache; the best follows in the background
/// and takes over between two calls (option "tier"; `Kernel::await_best`).
KMUX_API Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options = {});
KMUX_API Result<Kernel> compile(const Program& program, const CompileOptions& options = {});

/// How a caller gives up a compilation that takes too long for it.
struct CompileWait {
  /// Once stopped, `compile` returns within 0.2 s. A compiler in a process of its own is killed; one in this process cannot
  /// be: it is left behind, and its result is dropped when it ends. The end of the runtime waits for it.
  std::stop_token stop = {};
  /// Called on the thread that called, about every 20 ms; what it throws stops, too, and is passed on.
  std::function<void()> poll = {};
};

/// As `compile`, by another thread, so that it can be given up. What is found in memory is returned at once.
///
/// Errors: as `compile`; unavailable if `wait.stop` was stopped before the end.
KMUX_API Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options,
                                const CompileWait& wait);
KMUX_API Result<Kernel> compile(const Program& program, const CompileOptions& options, const CompileWait& wait);

/// Resolves with the default runtime.
KMUX_API Result<Resolution> resolve(const Program& program, const ResolveRequest& request = {});

}  // namespace kmux
