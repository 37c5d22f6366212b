#include "wrapper.h"

#include "kmux/plan.h"

namespace kmux::null {

Result<std::string> NullWrapper::wrap(const BuildRequest& request) {
  KMUX_TRY(check_options(request.options, backend_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return to_string(plan);
}

Status check_options(const Options& options, const std::string& backend) {
  if (options.empty()) return Ok{};
  const auto& [name, value] = *options.begin();
  return make_error(ErrorCode::kInvalidArgument, "option \"" + name + "\" (given as \"" + value +
                                                     "\") is not known to backend " + backend +
                                                     " (it has none). Remove it.");
}

}  // namespace kmux::null
