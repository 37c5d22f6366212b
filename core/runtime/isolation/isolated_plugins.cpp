#include "isolated_plugins.h"

#include <algorithm>

#include "kmux/log.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "failed_calls.h"
#include "isolation.h"
#include "plugins/plugin_search.h"
#include "system/compile_scope.h"
#include "system/fork_guard.h"
#include "system/host_api.h"
#include "system/runtime_impl.h"
#include "worker_pool.h"

namespace kmux {
namespace {

class IsolatedPlugin final : public Plugin {
 public:
  IsolatedPlugin(Registry& registry, const PluginEntry& entry, std::shared_ptr<WorkerPool> pool,
                 const std::optional<std::chrono::milliseconds>& limit)
      : manifest_(entry.manifest),
        library_(library_of(entry)),
        backend_(registry, manifest_.name, std::move(pool), limit) {}

  const Manifest& manifest() const override { return manifest_; }
  const std::filesystem::path& library() const override { return library_; }
  Backend& backend() const override { return backend_; }
  const kmux_plugin_api& api() const override { return backend_.api(); }
  const Result<ProbeReport>& probe() const override {
    std::call_once(probed_, [this] { report_ = backend_.probe(); });
    return report_;
  }

 private:
  Manifest manifest_;
  std::filesystem::path library_;
  mutable IsolatedBackend backend_;
  mutable std::once_flag probed_;
  mutable Result<ProbeReport> report_ = ProbeReport{};
};

void relay_log(std::int32_t level, std::string_view text) {
  try {
    log(static_cast<LogLevel>(std::clamp(level, std::int32_t{0}, std::int32_t{3})), text);
  } catch (...) {  // NOLINT(bugprone-empty-catch): by the application's sink, which may not spoil a compile
  }
}

}  // namespace

Result<std::shared_ptr<WorkerPool>> IsolatedPlugins::pool_of(const Registry& registry, const PluginEntry& entry) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<WorkerPool>& pool = pools_[entry.manifest.name];
  if (pool != nullptr) return pool;
  KMUX_ASSIGN(std::filesystem::path program, find_worker(worker_places()));
  pool = std::make_shared<WorkerPool>(WorkerPool::Settings{.plugin = entry.manifest.name,
                                                           .program = std::move(program),
                                                           .manifest = entry.path,
                                                           .options = registry.plugin_options(),
                                                           .host = {.log = relay_log, .stopping = is_stopping},
                                                           .failure_time = kFailureTime});
  return pool;
}

Result<Shared<Plugin>> IsolatedPlugins::plugin(Registry& registry, const std::string& name,
                                               const std::optional<std::chrono::milliseconds>& limit) {
  const std::vector<PluginEntry> entries = registry.entries();
  const auto found = std::ranges::find_if(
      entries, [&](const PluginEntry& entry) { return entry.manifest.name == name && entry.status.ok(); });
  if (found == entries.end()) return registry.plugin(name);  // says why not, and opens nothing
  KMUX_ASSIGN(std::shared_ptr<WorkerPool> pool, pool_of(registry, *found));
  return Shared<Plugin>(Shared<IsolatedPlugin>::make(registry, *found, std::move(pool), limit));
}

void IsolatedPlugins::end_surplus() {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, pool] : pools_)
    if (pool != nullptr) pool->end_surplus();
}

void IsolatedPlugins::end_idle() {
  const std::unique_lock lock(mutex_, std::try_to_lock);  // in a fork, a thread that is not there may hold it
  if (!lock) return;
  for (const auto& [name, pool] : pools_)
    if (pool != nullptr) pool->end_idle();
}

bool runs_isolated(const Runtime& runtime, const std::string& name, const IsolationSettings& isolation) {
  if (isolation.in_process_of_its_own) return true;
  // A thread of the parent may have held any lock inside a compiler, which a child would wait for.
  if (isolation.is_free && fork_generation() != 0 && find_worker(worker_places()).ok()) return true;
  const CompileScope* scope = CompileScope::current();
  if (!isolation.is_free || scope == nullptr || !scope->has_neighbours()) return false;
  const std::vector<PluginEntry> entries = runtime.registry().entries();
  const bool would_wait = std::ranges::any_of(entries, [&](const PluginEntry& entry) {
    return entry.manifest.name == name && entry.status.ok() && entry.manifest.parallel == kParallelProcess;
  });
  return would_wait && find_worker(worker_places()).ok();
}

Result<Shared<Plugin>> plugin_for(Runtime& runtime, const std::string& name, const IsolationSettings& isolation) {
  if (!runs_isolated(runtime, name, isolation)) return runtime.registry().plugin(name);
  return runtime.impl().isolated_plugins().plugin(runtime.registry(), name, isolation.limit);
}

IsolatedBackend::IsolatedBackend(Registry& registry, const std::string& plugin, std::shared_ptr<WorkerPool> pool,
                                 const std::optional<std::chrono::milliseconds>& limit)
    : registry_(registry), table_(plugin, std::move(pool), limit), remote_(table_.api(), table_.instance()) {}

Result<Backend*> IsolatedBackend::local() {
  const std::lock_guard lock(mutex_);
  if (local_ == nullptr) {
    KMUX_ASSIGN(local_, registry_.plugin(table_.api().name));
  }
  return &local_->backend();
}

Result<std::unique_ptr<Adapter>> IsolatedBackend::load(const Artifact& artifact, int device) {
  KMUX_ASSIGN(Backend* const backend, local());
  return backend->load(artifact, device);
}

DeviceApi& IsolatedBackend::devices() {
  const Result<Backend*> backend = local();
  return backend ? (*backend)->devices() : remote_.devices();  // the latter refuses everything
}

}  // namespace kmux
