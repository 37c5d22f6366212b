#include "backend.h"
#include "faults.h"

namespace kmux::null {

struct NullB {
  static constexpr PluginInfo kInfo{"null_b", "0.1.0", kDLExtDev};
  static Result<std::unique_ptr<Backend>> create(Host host) {
    Traits traits{.name = kInfo.name,
                  .targets = {"cuda"},
                  .dialects = {"cuda"},
                  .features = {"cluster", "cooperative", "dynamic_smem", "fill", "grid", "guard", "l2_window", "loop",
                               "programmatic_serialization", "several_launches", "tensor_map.im2col",
                               "tensor_map.tiled", "workspace"}};
    return faults::with_faults(kInfo.name, host, std::make_unique<NullBackend>(std::move(traits)));
  }
};

}  // namespace kmux::null

KMUX_PLUGIN(kmux::null::NullB)
