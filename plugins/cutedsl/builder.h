#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

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

}  // namespace kmux::cutedsl
