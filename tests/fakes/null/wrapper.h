#pragma once

#include <string>

#include "kmux/plugin/backend.h"

namespace kmux::null {

/// Prints the plan of a variant; a backend that runs plans stops here, one that compiles its launcher prints code.
///
/// Threads: any.
class NullWrapper final : public Wrapper {
 public:
  explicit NullWrapper(std::string backend) : backend_(std::move(backend)) {}
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  std::string backend_;
};

/// Returns ok if no option is given: this backend has no options.
///
/// Errors: invalid_argument that names the first option.
Status check_options(const Options& options, const std::string& backend);

}  // namespace kmux::null
