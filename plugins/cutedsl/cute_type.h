#pragma once

#include <optional>
#include <string_view>

#include "kmux/dtype.h"

namespace kmux::cutedsl {

/// What CuTe DSL calls an element type ("Float16"), or nothing for a type that it does not have. The three spellings of
/// float8 e4m3 are one type to it.
std::optional<std::string_view> cute_type(DType type);

}  // namespace kmux::cutedsl
