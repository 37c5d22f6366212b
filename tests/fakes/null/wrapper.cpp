#include "wrapper.h"

#include "kmux/plugin/option_readers.h"
#include "kmux/plugin/plan.h"

namespace kmux::null {

Result<std::string> NullWrapper::wrap(const BuildRequest& request) {
  KMUX_TRY(check_options(request.options, backend_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return to_string(plan);
}

// A real backend lists its options here, each with the function that reads it.
Status check_options(const Options& options, const std::string& backend) {
  return read_options(backend, options, Host(nullptr), {});
}

}  // namespace kmux::null
