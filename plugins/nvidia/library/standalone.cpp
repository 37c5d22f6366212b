#include "standalone.h"

#include "kmux/dlpack.h"
#include "kmux/json.h"

#include "launcher_text.h"
#include "parts.h"

namespace kmux {

extern const std::string_view nvidia_standalone_text;  // printed

namespace nvidia {
namespace {

Error incomplete(const std::string& what, std::string_view backend) {
  return make_error(ErrorCode::kInvalidArgument, "the artifact lacks " + what + " (backend " + std::string(backend) +
                                                     " did not make it whole). Build it again.");
}

}  // namespace

Artifact standalone_parts(const Plan& plan, std::string_view launcher, std::string_view code,
                          const std::vector<std::string>& symbols) {
  Artifact parts;
  parts.set("launcher.cpp", std::string(launcher).append(nvidia_standalone_text));
  parts.set(kCodeFile, std::string(code).append(1, '\0'));  // PTX ends with a zero; behind a cubin it does no harm
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    parts.set(symbol_file(i), symbols[i]);  // a launcher takes those that it does not know in
  }
  parts.set("link.json", dump(Json::Object{{"device_type", kDLCUDA}, {"libraries", Json::Array{"dl"}}}));
  return parts;
}

Result<Artifact> standalone_parts(const Plan& plan, const Artifact& built, std::string_view backend) {
  const std::string* const code = built.find(kCodePart);
  const std::string* const launcher = built.find(kLauncherPart);
  const std::string* const meta = built.find(kMetaPart);
  if (code == nullptr || launcher == nullptr || meta == nullptr) return incomplete("a part", backend);
  KMUX_ASSIGN(const Json facts, parse_json(*meta));
  const Json* const list = facts.find("symbols");
  const Json::Array* const names = list == nullptr ? nullptr : list->as_array();
  if (names == nullptr || names->size() != plan.kernels.size()) return incomplete("the kernels' symbols", backend);
  std::vector<std::string> symbols;
  for (const Json& name : *names) {
    if (name.as_string() == nullptr) return incomplete("the kernels' symbols", backend);
    symbols.push_back(*name.as_string());
  }
  return standalone_parts(plan, *launcher, *code, symbols);
}

}  // namespace nvidia
}  // namespace kmux
