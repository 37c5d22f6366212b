#pragma once

#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/shared.h"

namespace kmux {

struct Environment;
class Registry;
struct RegistryOptions;

/// Owns the plugin registry, the cache and the environment. Applications use the default runtime; tests create others.
///
/// Threads: any.
class KMUX_API Runtime {
 public:
  /// Creates a separate runtime. Fields of `registry` left empty (plugin path, options, variables) are taken from
  /// `environment`. Relative paths are resolved against the current directory during this call.
  static Result<Shared<Runtime>> create(Environment environment, const RegistryOptions& registry);

  /// Creates a runtime over a registry that the caller made.
  static Shared<Runtime> with(Environment environment, Shared<Registry> registry);

  /// Returns the runtime of this process, created on first use from its environment. A forked child creates a separate
  /// one.
  ///
  /// Errors: those of Registry::open; later calls return the same error.
  static Result<Shared<Runtime>> default_runtime();

  /// Waits at most 100 ms for a background compilation; one that cannot be interrupted is left running.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Checks that this process created the runtime.
  ///
  /// Errors: unavailable in a forked child of the process that created it.
  Status check_process() const;

  /// Returns the settings of this runtime.
  const Environment& environment() const;
  /// Returns the plugins of this runtime.
  Registry& registry() const;

  /// Internal to the library.
  class Impl;
  /// Returns the internal state.
  Impl& impl() const { return *impl_; }

 private:
  explicit Runtime(Shared<Impl> impl);
  Shared<Impl> impl_;
};

}  // namespace kmux
