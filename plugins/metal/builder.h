#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "device.h"

namespace kmux::metal {

/// Puts the sources together. Metal compiles when a program is loaded; where there is a device, the builder has it
/// try, so that a fault of the sources is found when they are built.
class MetalBuilder final : public Builder {
 public:
  MetalBuilder(Host host, OpenGpu open) : host_(host), open_(std::move(open)) {}

  Result<std::string> toolchain(const Target& target, const Options& options) override;

  /// Errors: compile_failed with Metal's text, or for a kernel that the sources lack; invalid_argument for options,
  ///         and for a ready library that is none.
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  Host host_;
  OpenGpu open_;
};

}  // namespace kmux::metal
