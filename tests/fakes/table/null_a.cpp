#include "backend.h"
#include "faults.h"

namespace kmux::null {

struct NullA {
  static constexpr PluginInfo kInfo{"null_a", "0.1.0", kDLExtDev};
  static Result<std::unique_ptr<Backend>> create(Host host) {
    Traits traits{.name = kInfo.name,
                  .targets = {"cpu", "c"},
                  .dialects = {"c"},
                  .features = {"fill", "guard", "loop", "several_launches", "workspace"}};
    return faults::with_faults(kInfo.name, host, std::make_unique<NullBackend>(std::move(traits)));
  }
};

}  // namespace kmux::null

KMUX_PLUGIN(kmux::null::NullA)
