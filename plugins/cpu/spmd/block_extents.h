#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

namespace kmux::cpu {

/// The kernels of a job whose sources are written for one thread of a GPU, with the extents of their blocks; nothing where those
/// are not constant, or differ from one launch to the next.
///
/// Shapes: x, y, z.
using BlockExtents = std::map<std::string, std::optional<std::array<unsigned, 3>>>;

}  // namespace kmux::cpu
