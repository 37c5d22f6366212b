#pragma once

#include "kmux/expr.h"

namespace kmux {

/// Can evaluating `expr` fail, given that its names have values?
bool can_fail(const Expr& expr);

}  // namespace kmux
