#pragma once

#include <filesystem>
#include <memory>

#include "kmux/runtime.h"

namespace kmux::regress {

/// Runtimes that ignore the environment, so that a ratio depends only on the code.

/// Returns a runtime with the plugins of this build and no cache.
Shared<Runtime> cacheless_runtime();

/// Returns a runtime with the plugins of this build and a cache in `folder`.
Shared<Runtime> caching_runtime(const std::filesystem::path& folder);

/// Returns a runtime with the three plugins of tests/fakes/table, which compile nothing.
Shared<Runtime> null_runtime();

}  // namespace kmux::regress
