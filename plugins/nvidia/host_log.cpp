#include "nvidia/host_log.h"

#include "kmux/plugin/profiler_ranges.h"

namespace kmux::nvidia {

Log log_to(const Host& host) {
  return {const_cast<Host*>(&host), [](void* self, int level, const char* text, std::size_t size) {
            static_cast<const Host*>(self)->log(static_cast<Host::Level>(level), std::string_view(text, size));
          }};
}

bool shows_ranges(const Host& host) {
  const auto value = host.option("nvidia.nvtx");
  return value && asks_for_profiler_ranges(value->c_str());
}

}  // namespace kmux::nvidia
