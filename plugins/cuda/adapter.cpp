#include "adapter.h"

#include <string>

#include "builder.h"
#include "nvidia/failure_text.h"
#include "nvidia/host_log.h"

namespace kmux::cuda {

Result<std::unique_ptr<Adapter>> CudaAdapter::load(const Artifact& artifact, const Host& host) {
  const std::string* library = artifact.find(kLibraryPart);
  if (!library) {
    return make_error(ErrorCode::kInvalidArgument, "the artifact has no part \"" + std::string(kLibraryPart) +
                                                       "\" (backend cuda did not make it whole). Build it again.");
  }
  using Ranges = LauncherLibrary::Ranges;
  const Ranges ranges = nvidia::shows_ranges(host) ? Ranges::kShown : Ranges::kHidden;
  auto adapter = std::make_unique<CudaAdapter>(host);
  KMUX_ASSIGN(adapter->library_, LauncherLibrary::open(*library, nvidia::log_to(adapter->host_), ranges));
  return std::unique_ptr<Adapter>(std::move(adapter));
}

Status CudaAdapter::prepare(int device) {
  nvidia::FailureText failure;
  return failure.status(library_->prepare(device, failure.sink()));
}

}  // namespace kmux::cuda
