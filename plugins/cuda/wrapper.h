#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/library/launcher_text.h"
#include "nvidia/options.h"

namespace kmux::cuda {

/// Prints the body of a variant as a C++ library that launches it without kmux: see launcher_text.h.
///
/// Threads: thread-safe.
class CudaWrapper final : public Wrapper {
 public:
  explicit CudaWrapper(Host host) : host_(host) {}

  /// Returns the text of the launcher.
  ///
  /// Errors: invalid_argument for an unknown option or an invalid value.
  Result<std::string> wrap(const BuildRequest& request) override {
    KMUX_ASSIGN(const nvidia::BuildOptions options, nvidia::parse_options(request.options, host_, "cuda"));
    KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
    return nvidia::launcher_text(plan, {.graph = options.graph, .shared_carveout = options.shared_carveout});
  }

 private:
  Host host_;
};

}  // namespace kmux::cuda
