#include "ready_code.h"

#include "nvidia/cubin.h"
#include "nvidia/ptx.h"

namespace kmux::nvrtc {
namespace {

Error for_another(const File& source, nvidia::Arch code, nvidia::Arch target) {
  return make_error(ErrorCode::kInvalidArgument, "source \"" + source.path + "\" is for " + to_string(code) +
                                                     " (the target is " + to_string(target) +
                                                     "). Give code for the target, or its source.");
}

}  // namespace

Result<std::vector<std::string>> check_ready_code(const Variant& variant, nvidia::Arch target,
                                                  const std::vector<std::string>& kernels) {
  const File& source = variant.sources.front();
  if (variant.dialect == "ptx") {
    KMUX_ASSIGN(const nvidia::Arch arch, nvidia::ptx_arch(source.content));
    if (!nvidia::satisfies(target, arch)) return for_another(source, arch, target);
    return nvidia::find_kernels(kernels, nvidia::ptx_kernels(source.content));
  }
  KMUX_ASSIGN(const nvidia::Arch arch, nvidia::cubin_arch(source.content));
  if (!nvidia::runs_on(arch, target)) return for_another(source, arch, target);
  return nvidia::find_kernels(kernels, std::string_view(source.content));
}

}  // namespace kmux::nvrtc
