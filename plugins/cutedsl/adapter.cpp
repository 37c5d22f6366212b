#include "adapter.h"

#include "nvidia/library/library_adapter.h"

namespace kmux::cutedsl {

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, const Host& host) {
  return nvidia::LibraryAdapter::load(artifact, host, "cutedsl");
}

}  // namespace kmux::cutedsl
