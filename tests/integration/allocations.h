#pragma once

#include <cstddef>

namespace kmux::test {

/// Returns the allocations of this thread so far, counted below operator new. Linking it installs the counting
/// allocator.
std::size_t allocations();

}  // namespace kmux::test
