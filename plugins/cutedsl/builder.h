#pragma once

#include <string>

#include "kmux/json.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "options.h"
#include "python_server.h"

namespace kmux::cutedsl {

/// Compiles sources with CuTe DSL, and the launcher with the machine's C++ compiler.
///
/// Threads: any, concurrently.
class CuteDslBuilder final : public Builder {
 public:
  explicit CuteDslBuilder(Host host) : host_(host), server_(host) {}

  Result<std::string> toolchain(const Target& target, const Options& options) override;
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  Host host_;
  PythonServer server_;  // starts when it is first used
};

/// The part of an artifact that is the object of its host functions, and the file that is linked.
inline constexpr const char* kHostObject = "kmux-host.o";

/// What identifies the programs that compile. Where Python or the C++ compiler is not there, it is what was told the
/// last time, kept in the cache's folder: what they have made can be found, and run, without them.
///
/// Errors: those of `find_python` and `find_host_compiler`, where nothing was kept.
Result<Json> identify_toolchain(const Host& host, const BuildOptions& options);

/// Whether something is kept, so that there may be artifacts that nothing here could make.
bool has_kept_toolchain(const Host& host);

}  // namespace kmux::cutedsl
