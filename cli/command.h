#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options.hpp>

#include "kmux/error.h"
#include "kmux/json.h"

#include "exit_code.h"

namespace kmux::cli {

namespace po = boost::program_options;

/// What a command has to say: text for a person, or a JSON document for a program.
struct Report {
  std::string text;
  Json json;
  ExitCode code = kSuccess;
  std::string notice = {};  // one line for stderr, before the rest
};

/// One word of `kmux WORD`.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;     // after "kmux "
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
extern const Command kExportCommand;
extern const Command kLauncherCommand;
extern const Command kSourceCommand;
extern const Command kCacheCommand;
extern const Command kTuneCommand;
extern const Command kTraceCommand;
extern const Command kBenchCommand;

}  // namespace kmux::cli
