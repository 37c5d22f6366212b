#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/cache.h"

namespace kmux::cli {

/// What the paths of all files in a bundle begin with.
inline constexpr std::string_view kBundleRoot = "kmux-cache-v1";

/// What was carried into or out of a bundle.
struct BundleReport {
  std::uint64_t builds = 0;   // written, or newly added
  std::uint64_t present = 0;  // on import: were there already
  std::uint64_t bytes = 0;    // of the files of both
  std::vector<std::string> skipped = {};  // why, a sentence each
};

/// Writes every build of the cache into a .tar.zst file, in the order of their keys: the same builds give the same
/// bytes. Damaged ones, and those that are removed meanwhile, are skipped.
///
/// Errors: unavailable if the file cannot be written; nothing of it is then left.
Result<BundleReport> export_cache(const Cache& cache, const std::filesystem::path& file);

/// Adds the builds of a bundle that are whole; what is in the cache already stays. A bundle has code that will run: take
/// it only from somebody whom you trust.
///
/// Errors: invalid_argument if the file is not a bundle: it is damaged, truncated or has anything but the files of
///         builds, links and other paths included; what came before it was added; or if it cannot be read. unavailable
///         if the cache cannot be written to.
Result<BundleReport> import_cache(const Cache& cache, const std::filesystem::path& file);

}  // namespace kmux::cli
