#pragma once

#include <optional>

#include "kmux/signature.h"

namespace kmux {

/// The bytes from the first element of `buffer` to the end of the last one, over the names in its shape and strides.
/// Nothing if it has not one stride a dimension. With negative strides, only what lies behind the first element counts.
///
/// Units: bytes.
std::optional<Expr> span_bytes(const BufferParam& buffer);

}  // namespace kmux
