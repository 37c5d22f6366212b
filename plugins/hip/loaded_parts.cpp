#include "loaded_parts.h"

#include "kmux/plugin/plan_part.h"

namespace kmux::hip {
namespace {

Error incomplete(const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact has no " + what + " (backend hip did not make it whole). Build it again.");
}

Result<const std::string*> part_of(const Artifact& artifact, const char* name) {
  const std::string* part = artifact.find(name);
  if (!part) return incomplete("part \"" + std::string(name) + "\"");
  return part;
}

Result<std::vector<KernelMeta>> kernels_of(const Plan& plan, const Meta& meta) {
  std::vector<KernelMeta> kernels;
  for (const std::string& name : plan.kernels) {
    const auto found = meta.kernels.find(name);
    if (found == meta.kernels.end()) return incomplete("symbol of kernel \"" + name + "\"");
    kernels.push_back(found->second);
  }
  return kernels;
}

}  // namespace

Result<LoadedParts> read_parts(const Artifact& artifact) {
  KMUX_ASSIGN(const std::string* const code, part_of(artifact, kCodePart));
  KMUX_ASSIGN(const std::string* const plan_text, part_of(artifact, kPlanPart));
  KMUX_ASSIGN(const std::string* const meta_text, part_of(artifact, kMetaPart));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  LoadedParts parts{*code, {}, {}};
  KMUX_ASSIGN(parts.plan, read_plan(*plan_text));
  KMUX_ASSIGN(parts.kernels, kernels_of(parts.plan, meta));
  return parts;
}

}  // namespace kmux::hip
