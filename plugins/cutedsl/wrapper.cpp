#include "wrapper.h"

#include "dialect.h"
#include "entries.h"
#include "nvidia/library/launcher_text.h"
#include "options.h"

namespace kmux {

extern const std::string_view cutedsl_printed_text;  // printed

namespace cutedsl {

Result<std::string> CuteDslWrapper::wrap(const BuildRequest& request) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const Entries entries, make_entries(request.program, request.variant));
  KMUX_ASSIGN(PrintedChecks checks, launch_checks(request.program.signature, request.program.name));
  CuteDialect dialect(request.program.signature, entries.list, std::move(checks));
  const nvidia::ArgumentSizes sizes = argument_sizes(entries);
  return nvidia::launcher_text(entries.plan, nvidia::LaunchChoices{.graph = options.graph},
                               {dialect, nvidia::Symbols::kInFiles, sizes, cutedsl_printed_text});
}

}  // namespace cutedsl
}  // namespace kmux
