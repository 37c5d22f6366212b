#include "sound.h"
#include "throwing_backend.h"

namespace kmux::broken {

struct Throws {
  static constexpr PluginInfo kInfo = Sound::kInfo;
  static Result<std::unique_ptr<Backend>> create(Host) {
    return std::unique_ptr<Backend>(std::make_unique<ThrowingBackend>());
  }
};

}  // namespace kmux::broken

KMUX_PLUGIN(kmux::broken::Throws)
