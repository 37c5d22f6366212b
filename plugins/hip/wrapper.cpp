#include "wrapper.h"

#include "kmux/plan.h"

#include "options.h"

namespace kmux::hip {

Result<std::string> HipWrapper::wrap(const BuildRequest& request) {
  KMUX_TRY(parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return to_string(plan);
}

}  // namespace kmux::hip
