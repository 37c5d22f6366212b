#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "device.h"

namespace kmux::metal {

/// Combines the sources. Metal compiles when a program is loaded. If a device is available, the builder also compiles,
/// so that the build reports errors in the sources.
class MetalBuilder final : public Builder {
 public:
  MetalBuilder(Host host, OpenGpu open) : host_(host), open_(std::move(open)) {}

  Result<std::string> toolchain(const Target& target, const Options& options) override;

  /// Builds the artifact of a variant.
  ///
  /// Errors: compile_failed with Metal's text, or for a kernel that the sources lack; invalid_argument for invalid
  ///         options, and for an invalid ready library.
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  Host host_;
  OpenGpu open_;
};

}  // namespace kmux::metal
