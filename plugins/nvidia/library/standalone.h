#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/plugin/plan.h"

namespace kmux::nvidia {

/// The parts of a library that runs `code` without kmux (kmux::Backend::standalone): `launcher`, a printed launcher of
/// `plan`, with the entry points of an exported library, and what it takes in when it is assembled. `symbols` are those of
/// the plan's kernels in the code, a cubin or PTX.
Artifact standalone_parts(const Plan& plan, std::string_view launcher, std::string_view code,
                          const std::vector<std::string>& symbols);

/// The same of an artifact that `backend` built, with the parts of parts.h: its meta.json has the symbols.
///
/// Errors: invalid_argument that names what it lacks.
Result<Artifact> standalone_parts(const Plan& plan, const Artifact& built, std::string_view backend);

}  // namespace kmux::nvidia
