#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/dtype.h"
#include "kmux/expr.h"
#include "kmux/json.h"

#include "json_reader.h"

namespace kmux {

/// The places of a program that have a dtype.
enum class DTypePlace : std::uint8_t { kBuffer, kScalar, kSymbol, kExpr };

/// May what is at `place` be of `type`?
bool is_allowed(DType type, DTypePlace place);

/// Which dtypes may, for messages: "int32 or int64".
std::string_view allowed_dtypes(DTypePlace place);

/// The nearest name of such a dtype, as " Did you mean 'float32'?"; empty if none is near.
std::string dtype_suggestion(std::string_view word, DTypePlace place);

/// An expression as JSON: 5, "n", ["+",E,E], ["cast","int32",E].
Json write_expr(const Expr& expr);

/// The dtype by its canonical name.
Json write_dtype(DType type);

/// The expression at `in`; 0 and problems if it has none.
Expr read_expr(const JsonReader& in);

/// The dtype at `in`, spelled as `to_string` does, of what is at `place`; float32 and a problem if it has none. One that is
/// spelled well and not allowed there is left to `validate`.
DType read_dtype(const JsonReader& in, DTypePlace place);

}  // namespace kmux
