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
/// Threads: thread-safe.
class CuteDslBuilder final : public Builder {
 public:
  explicit CuteDslBuilder(Host host) : host_(host), server_(host) {}

  Result<std::string> toolchain(const Target& target, const Options& options) override;
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  Host host_;
  PythonServer server_;  // starts on first use
};

/// The artifact part with the object of the host functions, and the name of the linked file.
inline constexpr const char* kHostObject = "kmux-host.o";

/// Returns the identity of the compilers. If Python or the C++ compiler is missing, returns the last identity, which
/// the cache's folder keeps. Artifacts that they made can then be found and run without them.
///
/// Errors: those of `find_python` and `find_host_compiler`, if no identity is kept.
Result<Json> identify_toolchain(const Host& host, const BuildOptions& options);

/// Returns true if an identity is kept: cached artifacts may then exist without a toolchain.
bool has_kept_toolchain(const Host& host);

}  // namespace kmux::cutedsl
