#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::hip {

/// The launcher as C++ (launcher_text.h): what `kmux export` compiles, before the code is known. In this process the adapter
/// executes the same plan without it.
class HipWrapper final : public Wrapper {
 public:
  explicit HipWrapper(Host host) : host_(host) {}

  /// Errors: invalid_argument for an unknown option or a bad value.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

}  // namespace kmux::hip
