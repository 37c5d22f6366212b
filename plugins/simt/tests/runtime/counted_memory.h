#pragma once

#include <cstddef>

namespace kmux::simt {

/// Returns the number of allocations by the runtime in this program, and the number of blocks not freed. The linker's
/// --wrap counts its calls; those of libraries are not counted.
std::size_t counted_allocations();
std::size_t counted_blocks();

}  // namespace kmux::simt
