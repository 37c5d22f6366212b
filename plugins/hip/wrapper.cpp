#include "wrapper.h"

#include "kmux/plugin/plan.h"

#include "facts.h"
#include "launcher_text.h"
#include "options.h"

namespace kmux::hip {
namespace {

// What only the code says of them is not known yet.
std::vector<KernelMeta> kernels_as_named(const Plan& plan) {
  std::vector<KernelMeta> kernels;
  kernels.reserve(plan.kernels.size());
  for (const std::string& name : plan.kernels) kernels.push_back({name});
  return kernels;
}

}  // namespace

Result<std::string> HipWrapper::wrap(const BuildRequest& request) {
  KMUX_TRY(parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return launcher_text(plan, Facts(plan, kernels_as_named(plan)).view());
}

}  // namespace kmux::hip
