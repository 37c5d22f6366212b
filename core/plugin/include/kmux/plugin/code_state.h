#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"

namespace kmux {

/// The part of an artifact whose code keeps values from one launch to the next in variables of its own: their names, a line each.
///
/// The runtime never replaces such code behind the caller, builds it in its best tier at once, and loads it once for each
/// compiled kernel, so that no two kernels share the variables.
inline constexpr std::string_view kStatePart = "state";

/// Puts the names of `variables` into the part; none are no part. Constants of the module do not belong to them.
void set_state(Artifact& artifact, const std::vector<std::string>& variables);

/// Returns the names that the part has; none without one.
std::vector<std::string> state_of(const Artifact& artifact);

/// Returns the names of the variables that the code of an ELF file of 64 bits may write, sorted, as C++ has them: those in its
/// sections of data, and those of a thread; of a section without symbols its own name. None for other bytes.
///
/// What compilers put there besides (tables of functions, references of exceptions) is left out.
std::vector<std::string> variables_of_object(std::string_view object);

}  // namespace kmux
