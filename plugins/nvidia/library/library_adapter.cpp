#include "library_adapter.h"

#include <string>

#include "kmux/plugin/failure_text.h"

#include "nvidia/opened_device.h"

namespace kmux::nvidia {

Result<std::unique_ptr<Adapter>> LibraryAdapter::load(const Artifact& artifact, const Host& host,
                                                      const std::string& backend) {
  const std::string* library = artifact.find(kLibraryPart);
  if (!library) {
    return make_error(ErrorCode::kInvalidArgument, "the artifact has no part \"" + std::string(kLibraryPart) +
                                                       "\" (backend " + backend +
                                                       " did not make it whole). Build it again.");
  }
  using Ranges = LauncherLibrary::Ranges;
  const Ranges ranges = shows_ranges(host) ? Ranges::kShown : Ranges::kHidden;
  auto adapter = std::make_unique<LibraryAdapter>(host);
  KMUX_ASSIGN(adapter->library_, LauncherLibrary::open(*library, log_to(adapter->host_), ranges));
  return std::unique_ptr<Adapter>(std::move(adapter));
}

Status LibraryAdapter::prepare(int device) {
  FailureText failure;
  return failure.status(library_->prepare(device, failure.sink()));
}

}  // namespace kmux::nvidia
