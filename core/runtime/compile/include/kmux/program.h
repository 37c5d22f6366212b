#pragma once

#include <string>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

/// Reads and validates a program: `NAME.kmux.json`, the text form `NAME.kmux`, or a source that has the text form in
/// its comments ("//! kmux"). Reads the files that it names from the same folder. The text form also gets the headers
/// that its sources include by quoted names ("h.h"), relative to the including file; those of a source that carries the
/// program may be above its folder ("../inc/h.h"), as far as the folders belong to the same user.
///
/// Errors: invalid_argument with every problem: a document that cannot be read, missing and changed files, paths that
///         leave the folder by ".." or by a symbolic link.
///
/// Threads: any.
KMUX_API Result<Program> load_program(const std::string& path);

/// Writes `program` to `path` and its files beside it, each whole or not at all. Keeps an existing file with other
/// content that this program does not own: stores the program's file under another name, which the document records.
///
/// Errors: unavailable with the system's message.   Threads: any, but only one per folder at a time.
KMUX_API Status save_program(const Program& program, const std::string& path);

}  // namespace kmux
