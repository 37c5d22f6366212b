#pragma once

#include "kmux/expr.h"
#include "kmux/json.h"

#include "json_reader.h"

namespace kmux {

/// An expression as JSON: 5, "n", ["+",E,E], ["cast","int32",E].
Json write_expr(const Expr& expr);

/// The dtype by its canonical name.
Json write_dtype(DType type);

/// The expression at `in`; 0 and problems if it has none.
Expr read_expr(const JsonReader& in);

/// The dtype at `in`, spelled as `to_string` does; float32 and a problem if it has none.
DType read_dtype(const JsonReader& in);

}  // namespace kmux
