#pragma once

#include <cstdlib>
#include <filesystem>

#include "kmux/environment.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "temp_folder.h"

namespace kmux {

/// Returns a folder for files that one case makes for all. It belongs to the run of seeds (KMUX_SEEDS_CACHE), to the
/// run of separate processes (apart_runs.h), or else to this process, which removes it when it ends.
inline std::filesystem::path shared_folder() {
  for (const char* const variable : {"KMUX_SEEDS_CACHE", "TEST_FOLDER_OF_RUN"}) {
    if (const char* const of_run = std::getenv(variable)) return of_run;
  }
  static const TempFolder of_process;
  return of_process.path();
}

/// Returns a folder for the artifact cache of cases that test launches, so that a program that several of them use is
/// compiled once.
inline std::filesystem::path shared_cache() { return shared_folder() / "cache"; }

/// Returns a runtime with the plugins of this build and its cache in `folder`.
inline auto runtime_with_cache(const std::filesystem::path& folder) {
  Environment environment;
  environment.cache_dir = folder;
  return Runtime::create(environment, {}).value();
}

}  // namespace kmux
