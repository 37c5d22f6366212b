#pragma once

#include "kmux/expr.h"
#include "kmux/json.h"

#include "dtype_place.h"
#include "json_reader.h"

namespace kmux {

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
