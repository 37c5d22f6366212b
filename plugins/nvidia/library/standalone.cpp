#include "standalone.h"

#include "kmux/dlpack.h"
#include "kmux/json.h"
#include "kmux/source_unit.h"

#include "launcher_text.h"

namespace kmux {

extern const std::string_view nvidia_standalone_text;  // printed

namespace nvidia {

Artifact standalone_parts(const Plan& plan, std::string_view launcher, std::string_view code,
                          const std::vector<std::string>& symbols) {
  Artifact parts;
  parts.set("launcher.cpp", std::string(launcher).append(nvidia_standalone_text));
  parts.set(kCodeFile, std::string(code).append(1, '\0'));  // PTX ends with a zero; behind a cubin it does no harm
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    if (is_name_expression(plan.kernels[i])) parts.set(symbol_file(i), symbols[i]);
  }
  parts.set("link.json", dump(Json::Object{{"device_type", kDLCUDA}, {"libraries", Json::Array{"dl"}}}));
  return parts;
}

}  // namespace nvidia
}  // namespace kmux
