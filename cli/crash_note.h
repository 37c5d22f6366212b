#pragma once

#include <string>

namespace kmux::cli {

/// From now on, writes `text` to stderr if the process crashes by a signal such as SIGSEGV.
///
/// Threads: must be called once a process, by one thread.
void note_on_crash(const std::string& text);

}  // namespace kmux::cli
