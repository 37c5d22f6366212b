#pragma once

#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::cuda {

/// Prints the body of a variant as a C++ library that launches it without kmux: see launcher_text.h.
///
/// Threads: any, concurrently.
class CudaWrapper final : public Wrapper {
 public:
  explicit CudaWrapper(Host host) : host_(host) {}

  /// Errors: invalid_argument for an unknown option or a bad value.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

}  // namespace kmux::cuda
