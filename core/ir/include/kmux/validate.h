#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux {

/// An error in a program.
struct Problem {
  std::string path;     // JSON pointer: "/variants/0/body/steps/2/args/1"
  std::string message;  // "problem (why). What to do."
  bool operator==(const Problem&) const = default;
};

/// Returns all problems of `program`, in document order; empty if it is valid.
///
/// Checks names (identifiers, unique, declared), dtypes, ranks, symbols (each needs a live carrier that can be solved),
/// scopes (maps and asserts may not use loop variables), features that a dialect lacks, limits and file paths.
std::vector<Problem> validate(const Program& program);

/// Returns ok if `program` is valid.
///
/// Errors: one invalid_argument whose message has the number of problems and the first one. Each further problem, up to
///         the hundredth, is a note "problem".
Status check_valid(const Program& program);

/// Returns true if `name` is a C identifier that is not a keyword of C++ and does not begin with "kmux_", "KMUX_" or
/// two underscores.
bool is_identifier(std::string_view name);

/// Returns true for names that no scalar, symbol, let or loop variable may have: launchers use them.
bool is_reserved_name(std::string_view name);

/// Returns true if `name` is an identifier, a mangled name, or an NVRTC name expression ("kern<float, 4>", "ns::kern").
/// Such names may appear in generated code.
bool is_variable_name(std::string_view name);

/// Returns true if `name` is a variable name, or names an overload by its parameter types, for example
/// "gelu(float const*, float*, int)". Types are words with template arguments, followed by stars, ampersands and
/// qualifiers; function and array types are invalid.
bool is_kernel_name(std::string_view name);

/// Returns why `path` cannot be the path of a program's file, for a message; empty if it can.
///
/// A valid path is relative and normalised ('/' between names, no empty name, "." or ".."). It has no control
/// character, '\\', ':' or '"'. It does not begin with the prefix reserved for kmux ("kmux-"), and does not name a
/// precompiled header (".gch", ".pch"), which compilers load implicitly.
std::string_view refusal_of_path(std::string_view path);

/// Returns true if `path` stays in the program's folder on every system and `refusal_of_path` accepts it.
bool is_file_path(std::string_view path);

/// Returns true if `text` is UTF-8 without NUL. Every string of a program must be; file contents may be any bytes.
bool is_text(std::string_view text);

}  // namespace kmux
