#pragma once

#include <string_view>

#include "kmux/expr.h"
#include "kmux/plugin/emit.h"

namespace kmux {

/// Prints a return from the launcher, with an error about `what`, if an evaluation has failed.
void emit_fault_check(CodeWriter& out, std::string_view what);

/// As `emit_value`, for a condition: text of type bool.
std::string emit_condition(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what);

/// Returns the value of a scalar slot as C++ of type `c_type(type)`.
std::string scalar_text(std::size_t slot, DType type);

/// Returns one argument of `emit_args`; `name` may be used for a variable, `what` names the argument in errors.
PrintedArg emit_arg(CodeWriter& out, const Plan& plan, const PlanArg& arg, const std::string& name,
                    const std::string& what);

/// Prints a variable `name` that holds `record`, with a type of `emit_struct_types`.
PrintedArg emit_struct(CodeWriter& out, const Plan& plan, const PlanStruct& record, const std::string& name,
                       const std::string& what);

/// Returns `items` as a C++ initializer list.
std::string braced(const std::vector<std::string>& items);

/// Prints an array `name` of constants. An empty list gets one element, since C++ has no empty arrays.
void emit_array(CodeWriter& out, std::string_view type, std::string_view name, std::vector<std::string> items);

/// Returns `size`, which `emit_size` returned for `expr`, as an unsigned 64-bit value.
std::string unsigned_text(const Expr& expr, const std::string& size);

/// Prints a call `function(env, arguments, error)`, whose failure ends the launcher.
void emit_call(CodeWriter& out, const std::string& function, const std::string& arguments);

/// Returns true if the evaluation of `expr` can fail although its names have values.
bool can_fail(const Expr& expr);

/// Returns true if `name` occurs in `code` as a whole word.
bool mentions(std::string_view code, std::string_view name);

}  // namespace kmux
