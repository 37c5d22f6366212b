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

class Runtime;
class WorkerPool;

/// Where a plugin's cold calls run, and how long one may take.
struct IsolationSettings {
  bool in_process_of_its_own = false;
  std::optional<std::chrono::milliseconds> limit = {};
  bool is_free = false;  // not chosen by the caller: a compilation of many programs may take a process
  bool operator==(const IsolationSettings&) const = default;
};

/// What a caller asks for; what is left out comes from `environment`. A limit of 0 seconds is none.
///
/// Errors: invalid_argument for an unknown word in `environment`, a limit that is no non-negative number, and a limit without a process
/// of its own: a compiler inside the application cannot be stopped.
Result<IsolationSettings> isolation_of(const std::optional<Isolation>& asked, const std::optional<double>& limit_s,
                                       const Environment& environment);

/// Where kmux-worker may be, in order: as the installation puts it relative to libkmux.so, then in the install prefix.
std::vector<std::filesystem::path> worker_places();

/// The first of `places` that exists, with links followed.
///
/// Errors: unavailable if none exists, or if it or its folder is not to be trusted.
Result<std::filesystem::path> find_worker(const std::vector<std::filesystem::path>& places);

/// How long a plugin that is not kmux's own may take to answer for the first time; nothing: it is opened untried.
///
/// Errors: invalid_argument if KMUX_PLUGIN_TRIAL is no non-negative number.
Result<std::optional<std::chrono::milliseconds>> trial_limit(const Environment& environment);

/// Has the plugin of `entry` opened in a process of its own, with `options`, and its `probe` called, both within `limit`. An
/// error of `probe` is an answer.
///
/// Errors: as `open_plugin`, where it cannot be opened; unavailable that says how the plugin crashed, ended the process, hung or wrote nonsense, with what it printed as note "log";
/// with note kTrialNote "not made" if no process could be started for it, or the system killed that.
Status try_plugin(const PluginEntry& entry, const Options& options, std::chrono::milliseconds limit);

/// The worker processes of a runtime's plugins.
///
/// Threads: any.   Lifetime: the destructor ends those that are idle.
class IsolatedPlugins {
 public:
  IsolatedPlugins() = default;
  ~IsolatedPlugins() { end_idle(); }  // kernels that have not been called may keep a pool
  IsolatedPlugins(const IsolatedPlugins&) = delete;
  IsolatedPlugins& operator=(const IsolatedPlugins&) = delete;

  /// Plugin `name` of `registry` in processes of its own, as `isolation` says. The library is opened in this process only to load
  /// adapters. Where the caller asked for such processes, compilers in them are confined.
  ///
  /// Errors: unavailable without kmux-worker, or with the registry's refusal; invalid_argument for an unknown name.
  Result<Shared<Plugin>> plugin(Registry& registry, const std::string& name, const IsolationSettings& isolation);

  /// The workers of the plugin of `entry`.
  ///
  /// Errors: unavailable without kmux-worker.
  Result<std::shared_ptr<WorkerPool>> pool_of(const Registry& registry, const PluginEntry& entry);

  /// Ends the workers that wait for a call beyond those that a pool keeps.
  void end_surplus();

  /// Ends the workers that wait for a call, where nothing will be destroyed: at the end of the process.
  void end_idle();

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<WorkerPool>> pools_;
};

/// Do cold calls of plugin `name` go to a process of its own? If `isolation` asks for it; if it leaves it open, in a forked
/// child where there is a kmux-worker; or if it leaves it open, other
/// threads compile at the same time (CompileScope), the plugin's manifest says that they would wait for each other in one
/// process, and there is a kmux-worker.
bool runs_isolated(const Runtime& runtime, const std::string& name, const IsolationSettings& isolation);

/// Plugin `name` of `runtime` for its cold calls: in this process, or in one of its own if it `runs_isolated`.
///
/// Errors: as Registry::plugin and IsolatedPlugins::plugin.
Result<Shared<Plugin>> plugin_for(Runtime& runtime, const std::string& name, const IsolationSettings& isolation);

/// A backend whose cold calls go to a worker process. Its adapters and devices are those of the plugin in this process,
/// which is opened when they are first asked for.
///
/// Threads: any.   Lifetime: borrows the registry; keeps the plugin that it opened.
class IsolatedBackend final : public Backend {
 public:
  /// Its calls are limited and confined as `isolation` says.
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
