#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/manifest.h"
#include "kmux/resolver.h"

#include "lock_file.h"

namespace kmux {

/// The candidate that `pins` (of `file`) name for a program, as an index.
///
/// Errors: invalid_argument if the program is not pinned for the targets of this machine; unavailable if the plugin has
///         changed since, or cannot be used here. All say how to pin it again.
Result<std::size_t> pinned_candidate(const std::vector<Pin>& pins, const std::filesystem::path& file,
                                     const std::string& name, const std::string& digest,
                                     const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests);

}  // namespace kmux
