#pragma once

#include <optional>
#include <string_view>

#include "kmux/dtype.h"

namespace kmux::cutedsl {

/// What CuTe DSL calls an element type ("Float16"), or nothing for a type that it does not have. Two spellings of float8
/// e4m3 are one type to it; FNUZ, whose exponents have another bias, is none.
std::optional<std::string_view> cute_type(DType type);

}  // namespace kmux::cutedsl
