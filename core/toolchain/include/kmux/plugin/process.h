#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// A child process to run: program and arguments as they are, no shell.
struct Command {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH unless it has a '/'
  std::string working_directory = {};              // empty: the caller's
  std::map<std::string, std::string> environment = {};  // added to what is inherited
  std::string standard_input = {};  // what it reads
  std::chrono::milliseconds timeout{0};            // 0: none
  std::function<bool()> stopping = {};  // called now and then; once true, the child is killed
  std::optional<std::vector<std::string>> inherited = {};  // the caller's variables that the child gets; absent: all
};

/// How a child process ended, and what it wrote.
struct ProcessResult {
  int exit_code = 0;         // 128 + signal if a signal ended it
  std::string standard_output;  // what it wrote
  std::string standard_error;  // what it wrote
};

/// Runs `command` and waits for it. A child that outlives its time-out, or is to stop, is killed with its process group.
///
/// Errors:  unavailable if the program cannot be started (with the reason); compile_failed never: a non-zero exit is a
///          result. A time-out or a stop is unavailable and carries what the child had written.
/// Threads: any.
Result<ProcessResult> run(const Command& command);

/// The command line as a person would type it, quoted, for messages only.
std::string to_string(const Command& command);

/// What the child of `command` finds in its environment, each "NAME=value".
std::vector<std::string> environment_of(const Command& command);

/// The absolute path of an executable named `name` in PATH, or nothing. A process with more rights than its caller
/// (AT_SECURE) looks in /usr/bin and /bin instead.
std::optional<std::string> find_program(const std::string& name);

}  // namespace kmux
