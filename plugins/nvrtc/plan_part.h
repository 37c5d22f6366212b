#pragma once

#include <string>
#include <string_view>

#include "kmux/plan.h"

namespace kmux::nvrtc {

/// Part "plan" of an artifact: the program in its canonical form with this variant alone, sources and metadata left out.
/// Its plan is that of the variant.
std::string plan_part(const Program& program, std::size_t variant);

/// Errors: invalid_argument if `text` is not what `plan_part` writes.
Result<Plan> read_plan(std::string_view text);

}  // namespace kmux::nvrtc
