#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "kmux/error.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// A runtime like another one, with the same plugins and what they are told, that has seen no program yet. Its cache is in
/// folder `cache` and nowhere else; without one it is the other's.
Result<std::shared_ptr<Runtime>> fresh_runtime(const Runtime& like, const std::optional<std::filesystem::path>& cache);

}  // namespace kmux::bench
