#include "nvidia/ready_code.h"

#include "nvidia/cubin.h"
#include "nvidia/launch_check.h"
#include "nvidia/ptx.h"

namespace kmux::nvidia {
namespace {

Error for_another(const File& source, Arch code, Arch target) {
  return make_error(ErrorCode::kInvalidArgument, "source \"" + source.path + "\" is for " + to_string(code) +
                                                     " (the target is " + to_string(target) +
                                                     "). Give code for the target, or its source.");
}

}  // namespace

Result<std::vector<std::string>> check_ready_code(const Variant& variant, Arch target, const Plan& plan) {
  const File& source = variant.sources.front();
  if (variant.dialect == "ptx") {
    KMUX_ASSIGN(const Arch arch, ptx_arch(source.content));
    if (!satisfies(target, arch)) return for_another(source, arch, target);
    return find_kernels(plan.kernels, ptx_kernels(source.content));
  }
  KMUX_ASSIGN(const Arch arch, cubin_arch(source.content));
  if (!runs_on(arch, target)) return for_another(source, arch, target);
  KMUX_ASSIGN(std::vector<std::string> symbols, find_kernels(plan.kernels, std::string_view(source.content)));
  KMUX_TRY(check_launches(plan, symbols, source.content));
  return symbols;
}

}  // namespace kmux::nvidia
