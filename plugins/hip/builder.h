#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/headers.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plugin.hpp"

#include "compiler_choice.h"
#include "meta.h"
#include "options.h"

namespace kmux::hip {

/// Compiles HIP C++, and CUDA C++ where the two are the same; accepts ready code objects and offload bundles.
class HipBuilder final : public Builder {
 public:
  explicit HipBuilder(Host host) : host_(host) {}

  /// Returns the identity of the compiler's files, and hiprtc's options in the environment.
  Result<std::string> toolchain(const Target& target, const Options& options) override;

  /// Builds the artifact of a variant.
  ///
  /// Errors: compile_failed with the compiler's log, or for a kernel that the code lacks; invalid_argument for invalid
  ///         options, for ready code that is invalid or for another architecture, and for a launch that does not fit
  ///         its kernel; unsupported for a construct of CUDA that HIP lacks; unavailable without a compiler.
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  Result<Compiled> compile_source(const BuildRequest& request, const BuildOptions& options, const Plan& plan,
                                  std::optional<Dependencies>& dependencies);

  Host host_;
  Headers headers_;
};

}  // namespace kmux::hip
