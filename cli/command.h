#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options.hpp>

#include "kmux/error.h"
#include "kmux/json.h"

namespace kmux::cli {

/// Returns the text of `error` for stderr, with a final line break: "kmux: error: ", `subject` and the message. At most
/// five lines, unless `show_whole_errors` was called or KMUX_VERBOSE is on. Control characters are escaped. Errors in a
/// program's text are printed whole, as compilers do.
std::string error_report(const Error& error, const std::string& subject = "");

/// Returns `error` for JSON documents: {"code", "message", "notes": [{"kind", "text"}]}.
Json to_json(const Error& error);

/// Returns `json` as a document of the command. Names of files need not be UTF-8, and a document must be: other bytes
/// become \xHH.
std::string document_text(const Json& json, int indent = 2);

/// Returns the command line of this process as a shell takes it: "kmux bench 'a b.kmux'".
std::string command_line();

/// Implements --verbose. Threads: must be called before other threads start.
void show_whole_errors();

/// The exit codes of `kmux`; documented in `kmux --help`.
enum ExitCode : int {
  kSuccess = 0,
  kCheckFailed = 1,  // --check or `cache verify` found a difference
  kUsage = 2,  // the command line itself is wrong
  kBadInput = 3,  // invalid program, tensor, file or value
  kNotHere = 4,  // no backend can do it on this machine
  kCompileError = 5,  // the compiler rejected the sources
  kLaunchError = 6,  // the kernel or the device failed
  kBug = 7,  // kmux or a plugin violated a contract
  kInterrupted = 130,  // by Ctrl-C or SIGTERM, as in a shell
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

/// The output of a command: text for a person, or a JSON document for a program.
struct Report {
  std::string text;
  Json json;
  ExitCode code = kSuccess;
  std::string notice = {};  // one line for stderr, before the rest
  bool is_file = false;  // the text is a file's content: written raw unless stdout is a terminal
};

/// A command, `kmux WORD`.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;  // after "kmux "
  std::string_view examples;  // lines for --help
  std::vector<std::string> words;  // positional words, by option name; the first is required
  void (*describe)(po::options_description& options);  // beyond the common options
  Result<Report> (*run)(const po::variables_map& arguments);
  bool repeats_last = false;  // the last word is repeatable
  std::string_view instead = {};  // an option that replaces the first word
  /// Checks that nothing is missing on the command line, before `run`. Its errors end with kUsage.
  Status (*check)(const po::variables_map& arguments) = nullptr;
};

/// Returns all commands, in the order of the help.
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
  std::string text;  // the comment that contains the program, in canonical form
  std::string content;  // the text followed by the source
  std::vector<std::string> left_out;  // functions that no launch can call, with reasons
};

/// Guesses a program for the source at `path` from Clang's view of it: docs/design/0042-kmux-new.md.
///
/// `include_dirs`: header folders. `names`: the functions to launch, with or without namespaces and template arguments;
/// empty for all.
///
/// Errors: invalid_argument for a file of another kind or one that already contains a program, an unknown name, and a
///         source without a function that can be launched; of the compiler.
Result<BegunSource> begin_program(const std::string& path, const std::vector<std::string>& include_dirs,
                                  const std::vector<std::string>& names);

}  // namespace kmux::cli
