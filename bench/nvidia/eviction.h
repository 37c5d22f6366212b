#pragma once

namespace kmux::bench {

/// Does what a real launch does to the caller's caches: runs 64 KiB of code, calls and branches that depend on data, and
/// touches 128 pages. What runs next finds its code and data in the second-level cache, and its branches unpredicted.
///
/// Threads: one.
void evict();

}  // namespace kmux::bench
