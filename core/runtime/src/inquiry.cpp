#include "inquiry.h"

#include <algorithm>

#include "kmux/target.h"

namespace kmux {
namespace {

Result<std::string> kind_of(const std::string& target) {
  if (target == "auto") return std::string();
  KMUX_ASSIGN(Target parsed, parse_target(target));
  return parsed.kind;
}

}  // namespace

Inquiry::Inquiry(const Program& asked, ResolveRequest complete, const std::vector<const Manifest*>& manifests)
    : program(asked),
      request(std::move(complete)),
      backend(request.execution_backend, manifests),
      target_kind(kind_of(request.target)) {}

bool answers_target(const Inquiry& inquiry, const Manifest& manifest) {
  if (!inquiry.target_kind) return false;
  const std::vector<std::string>& kinds = manifest.targets;
  return inquiry.target_kind->empty() || std::find(kinds.begin(), kinds.end(), *inquiry.target_kind) != kinds.end();
}

}  // namespace kmux
