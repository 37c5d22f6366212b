#include "command.h"

namespace kmux::cli {

std::span<const Command> commands() {
  static const Command all[] = {kPluginsCommand, kDevicesCommand, kResolveCommand,  kCompileCommand,
                                kRunCommand,     kExportCommand,  kLauncherCommand, kSourceCommand,
                                kCacheCommand,   kTuneCommand,    kTraceCommand,    kBenchCommand};
  return all;
}

}  // namespace kmux::cli
