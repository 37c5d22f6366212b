#pragma once

#include <optional>
#include <vector>

#include "kmux/cache.h"

#include "cache_bundle.h"
#include "command.h"

namespace kmux::cli {

/// What `kmux cache ls` prints: a row a build.
Report list_report(const std::vector<CachedBuild>& builds);

/// What `kmux cache stats` prints: how many, how large, by backend; and what the server of the remote cache says.
Report stats_report(const Cache& cache, const std::vector<CachedBuild>& builds,
                    const std::optional<RemoteCacheReport>& remote);

Report verify_report(std::size_t checked, const std::vector<DamagedBuild>& damaged);
Report prune_report(const PruneReport& report);
/// `done` is "exported" or "imported".
Report bundle_report(const std::string& done, const BundleReport& report);

/// "812 B", "5.7 KiB", "1.2 GiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace kmux::cli
