#pragma once

namespace kmux::bench {

/// Evicts the caller's caches as a real launch does: runs 64 KiB of code with data-dependent calls and branches, and
/// touches 128 pages. Later code finds its code and data in the second-level cache, and its branches unpredicted.
///
/// Threads: one.
void evict();

}  // namespace kmux::bench
