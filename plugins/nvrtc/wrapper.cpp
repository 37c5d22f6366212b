#include "wrapper.h"

#include "kmux/plugin/plan.h"

#include "nvidia/options.h"

namespace kmux::nvrtc {

Result<std::string> NvrtcWrapper::wrap(const BuildRequest& request) {
  KMUX_TRY(nvidia::parse_options(request.options, host_, "nvrtc"));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return to_string(plan);
}

}  // namespace kmux::nvrtc
