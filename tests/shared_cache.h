#pragma once

#include <cstdlib>
#include <filesystem>

#include "kmux/environment.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "temp_folder.h"

namespace kmux {

/// A folder for the artifact cache of cases that are about launches, so that a program which several of them use is
/// compiled once: that of the run of seeds (KMUX_SEEDS_CACHE), else one of this process, removed when it ends.
inline std::filesystem::path shared_cache() {
  if (const char* const of_run = std::getenv("KMUX_SEEDS_CACHE")) return of_run;
  static const TempFolder of_process;
  return of_process.path();
}

/// A runtime with the plugins of this build and its cache in `folder`.
inline auto runtime_with_cache(const std::filesystem::path& folder) {
  Environment environment;
  environment.cache_dir = folder;
  return Runtime::create(environment, {}).value();
}

}  // namespace kmux
