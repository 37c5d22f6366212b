#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options.hpp>

#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux::cli {

/// What stderr says of `error`, with a line break at its end: "kmux: error: ", `subject` and the message, at most five lines
/// unless `show_whole_errors` was called or KMUX_VERBOSE is on. Control characters are escaped. Errors in the text of a program are
/// printed whole, as compilers do.
std::string error_report(const Error& error, const std::string& subject = "");

/// Returns what JSON documents have of `error`: {"code", "message", "notes": [{"kind", "text"}]}.
Json to_json(const Error& error);

/// For --verbose. Threads: before there are others.
void show_whole_errors();

/// How `kmux` ends; documented in `kmux --help`.
enum ExitCode : int {
  kSuccess = 0,
  kCheckFailed = 1,  // --check or `cache verify` found a difference
  kUsage = 2,  // the command line itself is wrong
  kBadInput = 3,  // a program, tensor, file or value is wrong
  kNotHere = 4,  // no backend can do it on this machine
  kCompileError = 5,  // the compiler refused the sources
  kLaunchError = 6,  // the kernel or the device failed
  kBug = 7,  // kmux or a plugin broke its promises
  kInterrupted = 130,  // by Ctrl-C or SIGTERM, as a shell has it
};

constexpr ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return kSuccess;
    case ErrorCode::kInvalidArgument:
      return kBadInput;
    case ErrorCode::kUnsupported:
    case ErrorCode::kUnavailable:
    case ErrorCode::kOutOfMemory:
      return kNotHere;
    case ErrorCode::kCompileFailed:
    case ErrorCode::kTimedOut:
      return kCompileError;
    case ErrorCode::kLaunchFailed:
      return kLaunchError;
    case ErrorCode::kCancelled:
      return kInterrupted;
    case ErrorCode::kInternal:
      break;
  }
  return kBug;
}

namespace po = boost::program_options;

/// What a command has to say: text for a person, or a JSON document for a program.
struct Report {
  std::string text;
  Json json;
  ExitCode code = kSuccess;
  std::string notice = {};  // one line for stderr, before the rest
  bool is_file = false;  // the text is what a file may have: written as it is where stdout is no terminal
};

/// One word of `kmux WORD`.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;  // after "kmux "
  std::string_view examples;  // lines for --help
  std::vector<std::string> words;  // that follow it, by the name of their option; the first must be there
  void (*describe)(po::options_description& options);  // beyond the options that all commands have
  Result<Report> (*run)(const po::variables_map& arguments);
  bool repeats_last = false;  // the last of the words may be given several times
  std::string_view instead = {};  // an option that is enough where the first word is missing
};

/// All commands, in the order of the help.
std::span<const Command> commands();

extern const Command kPluginsCommand;
extern const Command kDevicesCommand;
extern const Command kResolveCommand;
extern const Command kCompileCommand;
extern const Command kRunCommand;
extern const Command kNewCommand;
extern const Command kShowCommand;
extern const Command kFormatCommand;
extern const Command kPackCommand;
extern const Command kExportCommand;
extern const Command kLauncherCommand;
extern const Command kSourceCommand;
extern const Command kCacheCommand;
extern const Command kTuneCommand;
extern const Command kTraceCommand;
extern const Command kReplayCommand;
extern const Command kBenchCommand;

// program_guess.cpp

/// A source with the program that was guessed for it.
struct BegunSource {
  std::string text;  // the comment that carries the program, in canonical form
  std::string content;  // the source behind it
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
