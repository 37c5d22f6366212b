#pragma once

#include <cstdint>
#include <memory>

#include "kmux/environment.h"
#include "kmux/runtime.h"

namespace kmux {

class ArtifactCache;
class BackendHistory;
class Background;
class CompilePool;
class IsolatedPlugins;
class KernelMemo;
class LockFiles;
class Recorder;
struct ResolveServices;

/// The parts of a runtime; each is defined in the folder that uses it.
class Runtime::Impl {
 public:
  Impl(Environment environment, std::shared_ptr<ArtifactCache> cache, Shared<Registry> registry);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const Environment& environment() const { return environment_; }
  Registry& registry() const { return *registry_; }
  std::uint64_t fork_generation() const { return fork_generation_; }
  /// Returns the disk cache, or null without one.
  const std::shared_ptr<ArtifactCache>& cache() const { return cache_; }
  /// Returns the memo of recently compiled kernels; for `compile`.
  KernelMemo& kernel_memo() const { return *kernel_memo_; }
  /// Returns the thread that compiles better tiers.
  Background& background() const { return *background_; }
  /// Returns the recorded history of the backends; for the policies.
  const std::shared_ptr<BackendHistory>& history() const { return history_; }
  /// Returns the lock files; for policy pinned.
  LockFiles& lock_files() const { return *lock_files_; }
  /// Returns the state shared by parallel compilations; for `par_compile`.
  CompilePool& compile_pool() const { return *compile_pool_; }
  /// Returns the recorder of kernels and calls, or null; for `compile`.
  const std::shared_ptr<Recorder>& recorder() const { return recorder_; }
  /// Returns the parts that resolving queries.
  ResolveServices resolve_services() const;
  /// Returns the plugins for cold calls.
  IsolatedPlugins& isolated_plugins() const { return *isolated_plugins_; }

 private:
  Environment environment_;
  std::shared_ptr<ArtifactCache> cache_;
  Shared<Registry> registry_;
  std::shared_ptr<IsolatedPlugins> isolated_plugins_;
  std::shared_ptr<KernelMemo> kernel_memo_;
  std::shared_ptr<Recorder> recorder_;
  std::shared_ptr<BackendHistory> history_;
  std::shared_ptr<LockFiles> lock_files_;
  std::shared_ptr<Background> background_;  // its jobs use the rest
  std::shared_ptr<CompilePool> compile_pool_;  // destroyed first: compilations that it left running use the other parts
  std::uint64_t fork_generation_;
};

}  // namespace kmux
