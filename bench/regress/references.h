#pragma once

#include <filesystem>

#include "regress/duel.h"

namespace kmux::regress {

/// Work of one kind each, which nothing of kmux takes part in and which is never changed: each ratio of the baselines
/// stands on them. A time of each is some microseconds.

/// Calls through pointers, branches, and data of the first-level cache: as a call of a kernel.
Burst calls_reference();

/// Texts in maps, made and destroyed: as reading, hashing and choosing do.
Burst heap_reference();

/// A file of 16 KiB in `folder`, opened, asked for its state, read, and closed.
Burst file_reference(const std::filesystem::path& folder);

}  // namespace kmux::regress
