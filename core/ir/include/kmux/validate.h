#pragma once

#include <string>
#include <string_view>
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

/// ok, or one invalid_argument whose message has the number of problems and the first, with one "problem"
/// note for each of the others (up to the hundredth).
Status check_valid(const Program& program);

/// Is `name` a C identifier that is not a keyword of C++ and does not begin with "kmux_", "KMUX_" or two
/// underscores?
bool is_identifier(std::string_view name);

/// Is `name` an identifier, a mangled name, or an NVRTC name expression ("kern<float, 4>", "ns::kern")? Such names
/// may reach generated code.
bool is_variable_name(std::string_view name);

/// Is `name` one of a variable, or of an overload with the types of its parameters ("gelu(float const*, float*, int)")? Types
/// are words, with template arguments, and the stars, ampersands and qualifiers behind them: no function and no array.
bool is_kernel_name(std::string_view name);

/// Returns why `path` is not a path of a program's file, for a message; empty if it is one. Such a path is relative and normalised
/// ('/' between names, no empty name, "." or ".."), has no control character, '\\', ':' or '"', begins with no name of kmux's own
/// ("kmux-"), and is not one by which a compiler looks for precompiled headers (".gch", ".pch").
std::string_view refusal_of_path(std::string_view path);

/// Returns true for a path that stays in the program's folder on every system, and that `refusal_of_path` does not refuse.
bool is_file_path(std::string_view path);

/// Is `text` UTF-8 without NUL? Every string of a program is; file contents may be anything.
bool is_text(std::string_view text);

}  // namespace kmux
