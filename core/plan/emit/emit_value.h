#pragma once

#include <string_view>

#include "kmux/expr.h"
#include "kmux/plugin/emit.h"

namespace kmux {

/// Returns from the launcher with an error about `what` if an evaluation has failed.
void emit_fault_check(CodeWriter& out, std::string_view what);

/// As `emit_value`, for a condition: text of type bool.
std::string emit_condition(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what);

/// The value of a scalar slot as C++ of type `c_type(type)`.
std::string scalar_text(std::size_t slot, DType type);

/// One argument of `emit_args`; `name` is free for a variable, `what` is the argument in errors.
PrintedArg emit_arg(CodeWriter& out, const Plan& plan, const PlanArg& arg, const std::string& name,
                    const std::string& what);

/// Prints a variable `name` that is `record`, of one of the types of `emit_struct_types`.
PrintedArg emit_struct(CodeWriter& out, const Plan& plan, const PlanStruct& record, const std::string& name,
                       const std::string& what);

/// Can evaluating `expr` fail, given that its names have values?
bool can_fail(const Expr& expr);

/// Does `name` occur in `code` as a whole word?
bool mentions(std::string_view code, std::string_view name);

}  // namespace kmux
