#include "host_api.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "kmux/log.h"

namespace kmux {
namespace {

std::int32_t option(void* self, kmux_bytes name, kmux_sink value) {
  const auto& options = *static_cast<const Options*>(self);
  const auto found = options.find(std::string(name.data, name.size));
  if (found == options.end()) return 0;
  value.write(value.self, found->second.data(), found->second.size());
  return 1;
}

void write_log(void*, std::int32_t level, kmux_bytes text) {
  log(static_cast<LogLevel>(std::clamp(level, 0, 3)), std::string_view(text.data, text.size));
}

// Spans are for a tracer, which this runtime does not have yet.
void trace(void*, std::int32_t, kmux_bytes) {}

}  // namespace

HostApi::HostApi(Options options) : options_(std::move(options)) {
  api_ = {.struct_size = sizeof(kmux_host_api),
          .abi_version = KMUX_PLUGIN_ABI_VERSION,
          .reserved = 0,
          .self = &options_,
          .option = option,
          .log = write_log,
          .trace = trace};
}

}  // namespace kmux
