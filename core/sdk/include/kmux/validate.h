#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux {

/// One thing that is wrong with a program.
struct Problem {
  std::string path;     // JSON pointer: "/variants/0/body/steps/2/args/1"
  std::string message;  // "problem (why). What to do."
  bool operator==(const Problem&) const = default;
};

/// All problems of `program`, in document order; empty if it is valid.
///
/// Checks names (identifiers, unique, declared), dtypes, ranks, symbols (each needs a live carrier that can be solved),
/// scopes (maps and asserts may not use loop variables), features a dialect does not have, limits and file paths.
std::vector<Problem> validate(const Program& program);

/// ok, or one invalid_argument that lists all problems, a line each, with one "problem" note a problem.
Status check_valid(const Program& program);

/// Is `name` a C identifier that is no keyword of C++ and does not begin with "kmux_" or two underscores?
bool is_identifier(std::string_view name);

/// Is `name` an identifier, a mangled name, or an NVRTC name expression ("kern<float, 4>", "ns::kern")? Such names
/// may reach generated code.
bool is_kernel_name(std::string_view name);

}  // namespace kmux
