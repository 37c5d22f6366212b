#pragma once

#include <mutex>

#include "kmux/registry.h"

#include "plugins/plugin_backend.h"
#include "worker_table.h"

namespace kmux {

/// A backend whose cold calls go to a worker process. Its adapters and devices are those of the plugin in this process,
/// which is opened when they are first asked for.
///
/// Threads: any.   Lifetime: borrows the registry; keeps the plugin that it opened.
class IsolatedBackend final : public Backend {
 public:
  /// A call gets at most `limit`.
  IsolatedBackend(Registry& registry, const std::string& plugin, std::shared_ptr<WorkerPool> pool,
                  const std::optional<std::chrono::milliseconds>& limit);

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
  std::shared_ptr<Plugin> local_;
};

}  // namespace kmux
