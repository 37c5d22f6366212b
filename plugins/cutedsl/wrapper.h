#pragma once

#include <string>
#include <string_view>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "dialect.h"
#include "entries.h"
#include "nvidia/library/launcher_text.h"
#include "options.h"

namespace kmux {

extern const std::string_view cutedsl_printed_text;  // printed
extern const std::string_view cutedsl_host_text;     // printed/host_functions.h

namespace cutedsl {

/// Prints the body of a variant as a C++ library that launches it without kmux, CuTe DSL or Python: see
/// launcher_text.h.
///
/// Threads: thread-safe.
class CuteDslWrapper final : public Wrapper {
 public:
  explicit CuteDslWrapper(Host host) : host_(host) {}

  /// Returns the text of the launcher.
  ///
  /// Errors: invalid_argument for an unknown option or an invalid value; unsupported for an element type.
  Result<std::string> wrap(const BuildRequest& request) override {
    KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
    KMUX_ASSIGN(const Entries entries, make_entries(request.program, request.variant));
    KMUX_ASSIGN(PrintedChecks checks, launch_checks(request.program.signature, request.program.name));
    CuteDialect dialect(request.program.signature, entries, std::move(checks));
    const nvidia::ArgumentSizes sizes = argument_sizes(entries);
    const bool has_hosts = !entries.hosts.empty();
    std::string printed(cutedsl_printed_text);
    if (has_hosts) printed += cutedsl_host_text;
    return nvidia::launcher_text(entries.plan, nvidia::LaunchChoices{.graph = options.graph},
                                 {dialect, sizes, printed, has_hosts});
  }

 private:
  Host host_;
};

}  // namespace cutedsl
}  // namespace kmux
