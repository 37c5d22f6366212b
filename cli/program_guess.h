#pragma once

#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::cli {

/// A source with the program that was guessed for it.
struct BegunSource {
  std::string text;                   // the comment that carries the program, in canonical form
  std::string content;                // the source behind it
  std::vector<std::string> left_out;  // functions that no launch can call, and why
};

/// Begins the program of the source at `path`, of what Clang reads in it: docs/design/0042-kmux-new.md.
///
/// `include_dirs`: folders of headers. `names`: of the functions that are launched, with or without namespaces and template
/// arguments; empty for all.
///
/// Errors: invalid_argument for a file that is not such a source or carries a program, a name that it does not have, and
///         one without a function that can be launched; of the compiler.
Result<BegunSource> begin_program(const std::string& path, const std::vector<std::string>& include_dirs,
                                  const std::vector<std::string>& names);

}  // namespace kmux::cli
