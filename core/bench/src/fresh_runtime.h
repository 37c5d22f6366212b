#pragma once

#include <filesystem>
#include <memory>

#include "kmux/error.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// A runtime like another one that has seen no program yet, with `cache` as its cache on disk and no other.
Result<std::shared_ptr<Runtime>> fresh_runtime(const Runtime& like, const std::filesystem::path& cache);

}  // namespace kmux::bench
