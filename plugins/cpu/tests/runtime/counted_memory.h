#pragma once

#include <cstddef>

namespace kmux::cpu {

/// How often the runtime has allocated in this program, and how many of these blocks it has not freed. Its calls are counted by the
/// linker's --wrap, those of libraries are not.
std::size_t counted_allocations();
std::size_t counted_blocks();

}  // namespace kmux::cpu
