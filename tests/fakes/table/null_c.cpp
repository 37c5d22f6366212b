#include "backend.h"
#include "faults.h"

namespace kmux::null {

struct NullC {
  static constexpr PluginInfo kInfo{"null_c", "0.1.0", kDLExtDev};
  static Result<std::unique_ptr<Backend>> create(Host host) {
    Traits traits{.name = kInfo.name,
                  .targets = {"cpu", "cuda"},
                  .dialects = {"c", "cuda"},
                  .features = {"dynamic_smem", "fill", "grid", "guard", "loop", "several_launches", "workspace"}};
    return faults::with_faults(kInfo.name, host, std::make_unique<NullBackend>(std::move(traits)));
  }
};

}  // namespace kmux::null

KMUX_PLUGIN(kmux::null::NullC)
