#include "command.h"

#include "kmux/environment.h"

namespace kmux::cli {

std::span<const Command> commands() {
  static const Command all[] = {kPluginsCommand, kDevicesCommand, kResolveCommand,  kCompileCommand,
                                kRunCommand,     kExportCommand,  kLauncherCommand, kSourceCommand,
                                kCacheCommand,   kTuneCommand,    kTraceCommand,    kBenchCommand};
  return all;
}

namespace {

bool are_whole = false;

}  // namespace

void show_whole_errors() { are_whole = true; }

std::string error_text(const Error& error) {
  const bool is_whole = are_whole || Environment::from_process().verbose;
  std::string text = is_whole ? error.explain() : error.brief("--verbose shows them");
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace kmux::cli
