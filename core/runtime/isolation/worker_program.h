#pragma once

#include <filesystem>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// Where kmux-worker may be, in order: as the installation puts it relative to libkmux.so, then in the install prefix.
std::vector<std::filesystem::path> worker_places();

/// The first of `places` that exists, with links followed.
///
/// Errors: unavailable if none exists, or if it or its folder is not to be trusted.
Result<std::filesystem::path> find_worker(const std::vector<std::filesystem::path>& places);

}  // namespace kmux
