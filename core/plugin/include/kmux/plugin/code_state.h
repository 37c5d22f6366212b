#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"

namespace kmux {

/// The artifact part that lists mutable variables of the code, whose values persist between launches: their names, one
/// a line.
///
/// The runtime must not replace such code behind the caller, so it builds the best tier at once. It loads the code once
/// for each compiled kernel, so that no two kernels share the variables.
inline constexpr std::string_view kStatePart = "state";

/// Stores the names of `variables` in the part; adds no part if empty. Must not include constants of the module.
void set_state(Artifact& artifact, const std::vector<std::string>& variables);

/// Returns the names in the part, or none if the part is missing.
std::vector<std::string> state_of(const Artifact& artifact);

/// Returns the sorted, demangled names of the variables that the code of a 64-bit ELF file may write: those in data
/// sections and thread-local ones. A data section without symbols is listed by its name. Returns none for other bytes.
///
/// Ignores other compiler-generated data in these sections (function tables, exception references).
std::vector<std::string> variables_of_object(std::string_view object);

}  // namespace kmux
