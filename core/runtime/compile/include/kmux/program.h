#pragma once

#include <string>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

/// Reads a program and validates it: `NAME.kmux.json`, `NAME.kmux`, the text form, or a source that carries that in its comments
/// ("//! kmux"), and the files that they name, beside them.
///
/// Errors: invalid_argument with every problem: a document that cannot be read, missing and changed files. Paths that leave
/// the folder, by ".." or by a symbolic link, are refused.
///
/// Threads: any.
KMUX_API Result<Program> load_program(const std::string& path);

/// Writes `program` to `path` and its files beside it, each whole or not at all. A file that is there with another content
/// and is not this program's own stays: the program's is stored under another name, which the document has.
///
/// Errors: unavailable with the system's message.   Threads: any, one a folder.
KMUX_API Status save_program(const Program& program, const std::string& path);

}  // namespace kmux
