#pragma once

#include <memory>

#include "kmux/backend.h"
#include "kmux/plugin.hpp"

namespace kmux::cuda {

/// Loads what the builder made; see nvidia::LibraryAdapter.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, const Host& host);

}  // namespace kmux::cuda
