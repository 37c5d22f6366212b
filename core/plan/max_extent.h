#pragma once

#include <cstdint>

namespace kmux {

/// The most of a launch's extents, blocks or threads: what fits an int32, as the interfaces of all backends have it.
inline constexpr std::int64_t kMaxExtent = 2147483647;

}  // namespace kmux
