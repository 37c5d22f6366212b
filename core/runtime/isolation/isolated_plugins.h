#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/policy.h"
#include "kmux/registry.h"

#include "plugins/plugin_backend.h"
#include "worker_pool.h"

namespace kmux {

class WorkerPool;

/// The process of a plugin's cold calls, and the time limit of each.
struct IsolationSettings {
  bool in_process_of_its_own = false;
  std::optional<std::chrono::milliseconds> limit = {};
  bool is_free = false;  // not chosen by the caller: a compilation of many programs may use a worker
  std::optional<std::chrono::milliseconds> trial = {};  // of code of third-party plugins, see `trial_limit`
  bool operator==(const IsolationSettings&) const = default;
};

/// Returns the requested settings, with defaults from `environment`. A limit of 0 seconds means none.
///
/// Errors: invalid_argument for an invalid value in `environment`, a limit that is not a non-negative number, and a
/// limit without a separate process: a compiler inside the application cannot be stopped; those of `trial_limit`.
Result<IsolationSettings> isolation_of(const std::optional<Isolation>& asked, const std::optional<double>& limit_s,
                                       const Environment& environment);

/// Returns the possible paths of kmux-worker, in order: relative to libkmux.so as installed, then in the install
/// prefix.
std::vector<std::filesystem::path> worker_places();

/// Returns the first of `places` that exists, with links resolved.
///
/// Errors: unavailable if none exists, or if the file or its folder is not trusted.
Result<std::filesystem::path> find_worker(const std::vector<std::filesystem::path>& places);

/// Returns the time limit of the first reply of a third-party plugin; nothing: it is opened without a trial.
///
/// Errors: invalid_argument if KMUX_PLUGIN_TRIAL is not a non-negative number.
Result<std::optional<std::chrono::milliseconds>> trial_limit(const Environment& environment);

/// Opens the plugin of `entry` with `options` in a worker process and calls its `probe`, both within `limit`. An error
/// of `probe` is a valid result.
///
/// Errors: as `open_plugin` if it cannot be opened; unavailable with the reason if the plugin crashed, ended the
/// process, hung or wrote an invalid reply, with its output as note "log". With note kTrialNote "not made" if no
/// process could be started, or the system killed it.
Status try_plugin(const PluginEntry& entry, const Options& options, std::chrono::milliseconds limit);

/// The plugins of a registry for cold calls: in this process, or in worker processes.
///
/// Threads: any.   Lifetime: borrows the registry; the destructor ends idle workers.
class IsolatedPlugins {
 public:
  explicit IsolatedPlugins(Registry& registry) : registry_(registry) {}
  ~IsolatedPlugins() { end_idle(); }  // kernels that have not been called yet may own a pool
  IsolatedPlugins(const IsolatedPlugins&) = delete;
  IsolatedPlugins& operator=(const IsolatedPlugins&) = delete;

  /// Returns the registry.
  Registry& registry() const { return registry_; }

  /// Returns the usable entry of plugin `name`, or null.
  const PluginEntry* entry_of(const std::string& name) const;

  /// Returns true if cold calls of plugin `name` go to a worker process: if `isolation` requests it. If `isolation`
  /// leaves it open, also in a forked child with a kmux-worker. Also if other threads compile at the same time
  /// (CompileScope), the manifest declares that they would serialize in one process, and a kmux-worker is installed.
  bool runs_isolated(const std::string& name, const IsolationSettings& isolation) const;

  /// Returns plugin `name` for cold calls: in this process, or in a worker process if it `runs_isolated`. Then this
  /// process opens the library only to load adapters. If the caller requested isolation, compilers in the workers are
  /// confined.
  ///
  /// Errors: as Registry::plugin; unavailable without kmux-worker.
  Result<Shared<Plugin>> plugin(const std::string& name, const IsolationSettings& isolation);

  /// Returns the workers of the plugin of `entry`.
  ///
  /// Errors: unavailable without kmux-worker.
  Result<std::shared_ptr<WorkerPool>> pool_of(const PluginEntry& entry);

  /// Ends idle workers above the number that a pool keeps.
  void end_surplus();

  /// Ends idle workers. For process exit, when pools are not destroyed.
  void end_idle();

 private:
  Registry& registry_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<WorkerPool>> pools_;
};

/// A backend with cold calls in a worker process. Its adapters and devices are those of the plugin in this process,
/// which is opened on their first use.
///
/// Threads: any.   Lifetime: borrows the registry; owns the plugin that it opened.
class IsolatedBackend final : public Backend {
 public:
  /// `isolation` sets the limit and the confinement of its calls.
  IsolatedBackend(Registry& registry, const std::string& plugin, std::shared_ptr<WorkerPool> pool,
                  const IsolationSettings& isolation);

  const kmux_plugin_api& api() const { return table_.api(); }

  Result<ProbeReport> probe() override { return remote_.probe(); }
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override {
    return remote_.resolve_target(request, device);
  }
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override {
    return remote_.supports(request);
  }
  Wrapper& wrapper() override { return remote_.wrapper(); }
  Builder& builder() override { return remote_.builder(); }
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  DeviceApi& devices() override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override {
    return remote_.standalone(request, built);
  }

 private:
  Result<Backend*> local();

  Registry& registry_;
  WorkerTable table_;
  PluginBackend remote_;
  std::mutex mutex_;
  Shared<Plugin> local_;
};

}  // namespace kmux
