#pragma once

#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/shared.h"

namespace kmux {

struct Environment;
class Registry;
struct RegistryOptions;

/// Registry, cache and environment together. Applications use the default one; tests make their own.
///
/// Threads: any.
class KMUX_API Runtime {
 public:
  /// Makes a runtime of its own. What `registry` leaves empty of plugin path, options and variables is that of `environment`.
  /// Relative paths count from the current directory, now.
  static Result<Shared<Runtime>> create(Environment environment, const RegistryOptions& registry);

  /// A runtime over a registry that the caller made.
  static Shared<Runtime> with(Environment environment, Shared<Registry> registry);

  /// The runtime of this process, made on first use from its environment; a child that was forked makes its own.
  ///
  /// Errors: those of Registry::open, remembered.
  static Result<Shared<Runtime>> default_runtime();

  /// Waits for a compile in the background 100 ms at most: one that cannot be interrupted is left alone.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Errors: unavailable in a forked child of the process that made this runtime.
  Status check_process() const;

  /// The settings that this runtime was made with.
  const Environment& environment() const;
  /// The plugins of this runtime.
  Registry& registry() const;

  /// For the library itself.
  class Impl;
  /// What it is made of.
  Impl& impl() const { return *impl_; }

 private:
  explicit Runtime(Shared<Impl> impl);
  Shared<Impl> impl_;
};

}  // namespace kmux
