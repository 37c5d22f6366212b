#pragma once

#include <string>

#include "kmux/backend.h"
#include "kmux/plugin.hpp"

namespace kmux::hip {

/// The launcher is the plan, which the adapter executes; what `wrap` gives is its text, for people.
class HipWrapper final : public Wrapper {
 public:
  explicit HipWrapper(Host host) : host_(host) {}

  /// Errors: invalid_argument for an unknown option or a bad value.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

}  // namespace kmux::hip
