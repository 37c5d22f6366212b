#pragma once

#include <string>

namespace kmux::cli {

/// Has the process write `text` to stderr if it ends by a signal of its own, such as SIGSEGV, from now on.
///
/// Threads: one; once a process.
void note_on_crash(const std::string& text);

}  // namespace kmux::cli
