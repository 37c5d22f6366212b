#include "nvidia/host_log.h"

#include <algorithm>
#include <array>

namespace kmux::nvidia {

Log log_to(const Host& host) {
  return {const_cast<Host*>(&host), [](void* self, int level, const char* text, std::size_t size) {
            static_cast<const Host*>(self)->log(static_cast<Host::Level>(level), std::string_view(text, size));
          }};
}

bool shows_ranges(const Host& host) {
  constexpr std::array<std::string_view, 4> kOff = {"0", "off", "no", "false"};
  const auto value = host.option("nvidia.nvtx");
  return value && std::ranges::find(kOff, *value) == kOff.end();
}

}  // namespace kmux::nvidia
