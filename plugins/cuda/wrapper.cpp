#include "wrapper.h"

#include "kmux/plugin/plan.h"

#include "nvidia/library/launcher_text.h"
#include "nvidia/options.h"

namespace kmux::cuda {

Result<std::string> CudaWrapper::wrap(const BuildRequest& request) {
  KMUX_ASSIGN(const nvidia::BuildOptions options, nvidia::parse_options(request.options, host_, "cuda"));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return nvidia::launcher_text(plan, nvidia::LaunchChoices{.graph = options.graph});
}

}  // namespace kmux::cuda
