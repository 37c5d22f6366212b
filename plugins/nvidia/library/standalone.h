#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plan.h"

namespace kmux::nvidia {

/// The parts of a library that runs `code` without kmux (kmux::Backend::standalone): `launcher`, a printed launcher of
/// `plan`, with the entry points of an exported library, and what it takes in when it is assembled. `symbols` are those of
/// the plan's kernels in the code, a cubin or PTX.
Artifact standalone_parts(const Plan& plan, std::string_view launcher, std::string_view code,
                          const std::vector<std::string>& symbols);

}  // namespace kmux::nvidia
