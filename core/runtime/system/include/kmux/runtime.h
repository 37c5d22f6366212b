#pragma once

#include <cstdint>
#include <memory>

#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

class ArtifactCache;
class Background;
class CompilePool;
class BackendHistory;
class IsolatedPlugins;
class KernelMemo;
class Registry;
struct RegistryOptions;
class SupportMemo;

/// Registry, cache and environment together. Applications use the default one; tests make their own.
///
/// Threads: any.
class KMUX_API Runtime {
 public:
  /// A runtime of its own with `environment`; plugins from `registry` options.
  static Result<std::shared_ptr<Runtime>> create(Environment environment, const RegistryOptions& registry);

  /// A runtime over a registry that the caller made.
  static std::shared_ptr<Runtime> with(Environment environment, std::unique_ptr<Registry> registry);

  /// The runtime of this process, made on first use from its environment; a child that was forked makes its own.
  ///
  /// Errors: those of Registry::open, remembered.
  static Result<std::shared_ptr<Runtime>> default_runtime();

  /// Waits for a compile in the background 100 ms at most: one that cannot be interrupted is left alone.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Errors: unavailable in a forked child of the process that made this runtime.
  Status check_process() const;

  const Environment& environment() const { return environment_; }
  Registry& registry() const { return *registry_; }
  /// What plugins said of the programs that were resolved last; for the resolver.
  SupportMemo& support_memo() const { return *support_memo_; }
  /// The cache on disk, or null if there is none.
  const std::shared_ptr<ArtifactCache>& cache() const { return cache_; }
  /// The kernels that were compiled last; for `compile`.
  KernelMemo& kernel_memo() const { return *kernel_memo_; }
  /// Where better tiers are compiled.
  Background& background() const { return *background_; }
  /// What was learned of the backends; for the policies.
  const std::shared_ptr<BackendHistory>& history() const { return history_; }
  /// What parallel compilations share; for `par_compile`.
  CompilePool& compile_pool() const { return *compile_pool_; }
  /// The plugins in processes of their own; for isolation = "process".
  IsolatedPlugins& isolated_plugins() const { return *isolated_plugins_; }

 private:
  Runtime(Environment environment, std::shared_ptr<ArtifactCache> cache, std::unique_ptr<Registry> registry);
  Environment environment_;
  std::shared_ptr<ArtifactCache> cache_;
  std::unique_ptr<Registry> registry_;
  std::shared_ptr<SupportMemo> support_memo_;
  std::shared_ptr<IsolatedPlugins> isolated_plugins_;
  std::shared_ptr<KernelMemo> kernel_memo_;
  std::shared_ptr<BackendHistory> history_;
  std::shared_ptr<Background> background_;  // its jobs use the rest
  std::shared_ptr<CompilePool> compile_pool_;  // the first to go: what it has left behind uses all of it
  std::uint64_t fork_generation_;
};

}  // namespace kmux
