#pragma once

#include <memory>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::cutedsl {

/// What the builder made, as nvidia/library loads it: neither CuTe DSL nor Python takes part.
///
/// Errors: as nvidia::LibraryAdapter::load.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, const Host& host);

}  // namespace kmux::cutedsl
