#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::cutedsl {

/// Prints the body of a variant as a C++ library that launches it without kmux, CuTe DSL or Python: see
/// launcher_text.h.
///
/// Threads: any, concurrently.
class CuteDslWrapper final : public Wrapper {
 public:
  explicit CuteDslWrapper(Host host) : host_(host) {}

  /// Errors: invalid_argument for an unknown option or a bad value; unsupported for an element type.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

}  // namespace kmux::cutedsl
