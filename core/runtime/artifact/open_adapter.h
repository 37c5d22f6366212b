#pragma once

#include <memory>
#include <string>

#include "kmux/plugin/backend.h"

namespace kmux {

/// Loads an artifact of `kernel`. While a trace is recorded, every call of the adapter becomes a span of it.
///
/// Errors: those of the backend.
Result<std::shared_ptr<Adapter>> open_adapter(Backend& backend, const Artifact& artifact, int device,
                                              const std::string& kernel);

}  // namespace kmux
