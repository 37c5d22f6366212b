#include "wrapper.h"

#include "kmux/plugin/plan.h"

#include "bindings.h"
#include "options.h"

namespace kmux::metal {

Result<std::string> MetalWrapper::wrap(const BuildRequest& request) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_ASSIGN(const auto bindings, bindings_of(plan));
  std::string text = to_string(plan) + to_string(bindings, plan);
  for (const std::string& constant : options.function_constants) text += "  constant " + constant + "\n";
  return text;
}

}  // namespace kmux::metal
