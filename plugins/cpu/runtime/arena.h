#pragma once

#include <cstddef>

namespace kmux::cpu {

/// At least `bytes` of memory of the calling thread for the block that it runs, aligned to a cache line; null if there is none.
/// Not on its stack, which may be small. Grows, and is kept until the thread ends.
///
/// Threads: any, each has its own.
char* block_memory(std::size_t bytes) noexcept;

}  // namespace kmux::cpu
