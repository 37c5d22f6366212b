#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/dtype.h"

namespace kmux {

/// What a program says the dtype of.
enum class DTypePlace : std::uint8_t { kBuffer, kScalar, kSymbol, kExpr };

/// May what is at `place` be of `type`?
bool is_allowed(DType type, DTypePlace place);

/// Which dtypes may, for messages: "int32 or int64".
std::string_view allowed_dtypes(DTypePlace place);

/// The nearest name of such a dtype, as " Did you mean 'float32'?"; empty if none is near.
std::string dtype_suggestion(std::string_view word, DTypePlace place);

}  // namespace kmux
