#include "standalone.h"

#include "kmux/dlpack.h"
#include "kmux/json.h"

#include "facts.h"
#include "launcher_text.h"
#include "loaded_parts.h"

namespace kmux::hip {

Result<Artifact> standalone_of(const Artifact& built) {
  KMUX_ASSIGN(LoadedParts parts, read_parts(built));
  const Facts facts(parts.plan, std::move(parts.kernels));
  Artifact unit;
  unit.set("launcher.cpp", launcher_text(parts.plan, facts.view()));
  unit.set(kCodeFile, std::move(parts.code));
  unit.set("link.json", dump(Json::Object{{"device_type", int{kDLROCM}}, {"libraries", Json::Array{"dl"}}}));
  return unit;
}

}  // namespace kmux::hip
