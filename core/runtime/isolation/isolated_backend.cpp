#include "isolated_backend.h"

#include "kmux/registry.h"

namespace kmux {

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
