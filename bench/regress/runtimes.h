#pragma once

#include <filesystem>
#include <memory>

#include "kmux/runtime.h"

namespace kmux::regress {

/// Runtimes that take nothing from the environment, so that a ratio is that of the code.

/// The plugins of this build, no cache.
Shared<Runtime> cacheless_runtime();

/// The plugins of this build, a cache in `folder`.
Shared<Runtime> caching_runtime(const std::filesystem::path& folder);

/// The three plugins of tests/fakes/table, which compile nothing.
Shared<Runtime> null_runtime();

}  // namespace kmux::regress
