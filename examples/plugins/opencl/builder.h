#pragma once

#include <string>
#include <string_view>

#include "kmux/plugin/headers.h"

#include "machine.h"
#include "options.h"

namespace kmux::opencl {

/// Has the driver of the target's device compile the sources, and keeps its binary.
///
/// Threads: any.
class OpenClBuilder final : public Builder {
 public:
  OpenClBuilder(Host host, OpenMachine open) : host_(host), open_(std::move(open)) {}
  Result<std::string> toolchain(const Target& target, const Options& options) override;
  /// Errors: compile_failed with the build log; invalid_argument for a launch that does not fit its kernel; unavailable if the
  /// device is not here.
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  Dependencies scan(const Variant& variant, const BuildOptions& options);

  Host host_;
  OpenMachine open_;
  Headers headers_;
};

}  // namespace kmux::opencl
