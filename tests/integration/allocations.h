#pragma once

#include <cstddef>

namespace kmux::test {

/// Allocations of this thread so far, counted below operator new. Who links this has the counting allocator.
std::size_t allocations();

}  // namespace kmux::test
