#pragma once

#include <filesystem>

#include "regress/duel.h"

namespace kmux::regress {

/// Reference work of one kind each, without any code of kmux. It must never change: the ratios of the baselines depend
/// on it. One execution takes some microseconds.

/// Returns calls through pointers, branches, and data of the first-level cache, as in a kernel call.
Burst calls_reference();

/// Returns work on texts in maps, created and destroyed, as in reading, hashing and choosing.
Burst heap_reference();

/// Returns work that opens, stats, reads and closes a file of 16 KiB in `folder`.
Burst file_reference(const std::filesystem::path& folder);

}  // namespace kmux::regress
