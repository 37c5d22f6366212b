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

/// Returns true if an element at `place` may be of `type`.
bool is_allowed(DType type, DTypePlace place);

/// Returns the allowed dtypes, for messages: "int32 or int64".
std::string_view allowed_dtypes(DTypePlace place);

/// Returns the nearest name of an allowed dtype, as " Did you mean 'float32'?"; empty if none is near.
std::string dtype_suggestion(std::string_view word, DTypePlace place);

/// Returns an expression as JSON: 5, "n", ["+",E,E], ["cast","int32",E].
Json write_expr(const Expr& expr);

/// Returns the canonical name of the dtype.
Json write_dtype(DType type);

/// Reads the expression at `in`; returns 0 and adds problems if it is invalid.
Expr read_expr(const JsonReader& in);

/// Reads the dtype at `in`, in the spelling of `to_string`; returns float32 and adds a problem if it is unknown. A
/// correctly spelled dtype that is not allowed at `place` is left to `validate`.
DType read_dtype(const JsonReader& in, DTypePlace place);

}  // namespace kmux
