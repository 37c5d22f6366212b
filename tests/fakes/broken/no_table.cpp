#include <string_view>

#include "kmux/plugin/plugin.h"

extern "C" __attribute__((visibility("default"))) const kmux_plugin_api* kmux_plugin_query(uint32_t, kmux_sink reason) {
  constexpr std::string_view kReason = "the licence has expired. Renew it.";
  reason.write(reason.self, kReason.data(), kReason.size());
  return nullptr;
}
