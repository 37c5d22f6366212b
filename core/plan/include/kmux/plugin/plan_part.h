#pragma once

#include <string>
#include <string_view>

#include "kmux/plugin/plan.h"

namespace kmux {

/// The name of the part of an artifact that holds a plan, for backends that execute it.
inline constexpr const char* kPlanPart = "plan";

/// The content of that part: the program in its canonical form with this variant alone, sources and metadata left out. Its
/// plan is that of the variant.
std::string plan_part(const Program& program, std::size_t variant);

/// Errors: invalid_argument if `text` is not what `plan_part` writes.
Result<Plan> read_plan(std::string_view text);

}  // namespace kmux
