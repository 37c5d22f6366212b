#pragma once

#include <memory>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::cuda {

/// Loads what the builder made; see nvidia::LibraryAdapter.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, const Host& host);

}  // namespace kmux::cuda
