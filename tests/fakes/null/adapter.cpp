#include "adapter.h"

#include <string_view>

#include "kmux/plugin/meta_reader.h"

#include "device.h"
#include "null/manifest.h"

namespace kmux::null {
namespace {

kmux_code fail(kmux_sink error, std::string_view text) {
  error.write(error.self, text.data(), text.size());
  return KMUX_INVALID_ARGUMENT;
}

}  // namespace

Status NullAdapter::prepare(int device) { return check_device(device); }

kmux_code NullAdapter::launch(const kmux_slot*, const kmux_launch_env& env, kmux_sink error) noexcept {
  if (env.device != 0) return fail(error, "no such device (there is device 0 only). Use 0.");
  launches_.fetch_add(1, std::memory_order_relaxed);
  return KMUX_OK;
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact) {
  for (const char* part : {"code", "launcher", "meta.json"}) {
    KMUX_TRY(required_part(artifact, part, manifest::kName));
  }
  return std::unique_ptr<Adapter>(std::make_unique<NullAdapter>());
}

}  // namespace kmux::null
