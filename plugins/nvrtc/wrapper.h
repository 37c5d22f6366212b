#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/options.h"

namespace kmux::nvrtc {

/// Prints the launcher, which is the plan that the adapter executes. The text is for people.
class NvrtcWrapper final : public Wrapper {
 public:
  explicit NvrtcWrapper(Host host) : host_(host) {}

  /// Returns the text of the plan.
  ///
  /// Errors: invalid_argument for an unknown option or an invalid value.
  Result<std::string> wrap(const BuildRequest& request) override {
    KMUX_TRY(nvidia::parse_options(request.options, host_, "nvrtc"));
    KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
    return to_string(plan);
  }

 private:
  Host host_;
};

}  // namespace kmux::nvrtc
