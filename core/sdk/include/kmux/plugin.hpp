#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/backend.h"
#include "kmux/plugin.h"

namespace kmux {

/// What a plugin may ask of its host: options and logs. Plugins never read the environment.
///
/// Threads: any.   Lifetime: outlives the backend.
class Host {
 public:
  explicit Host(const kmux_host_api* api) : api_(api) {}
  std::optional<std::string> option(std::string_view name) const;
  enum class Level { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };
  void log(Level level, std::string_view text) const;

 private:
  const kmux_host_api* api_;
};

/// What the table says of a plugin besides its functions.
struct PluginInfo {
  const char* name;
  const char* version;
  std::int32_t device_type;  // DLDeviceType of its memory
};

/// Writes `error` to `sink` in the ABI's form and returns its code.
kmux_code write_error(const Error& error, kmux_sink sink) noexcept;

/// Reads the ABI's form back.
Error read_error(kmux_code code, std::string_view text);

/// The table for the backend that `make` creates; one a plugin, through KMUX_PLUGIN.
using BackendFactory = Result<std::unique_ptr<Backend>> (*)(Host host);
const kmux_plugin_api* plugin_table(std::uint32_t host_max_version, const PluginInfo& info, BackendFactory make,
                                    kmux_sink reason) noexcept;

}  // namespace kmux

/// Exports class `BackendClass` (derived from kmux::Backend) as the plugin of this library. It has
/// `static constexpr kmux::PluginInfo kInfo` and `static Result<std::unique_ptr<Backend>> create(kmux::Host)`.
#define KMUX_PLUGIN(BackendClass)                                                                                   \
  extern "C" __attribute__((visibility("default"))) const kmux_plugin_api* kmux_plugin_query(std::uint32_t version, \
                                                                                             kmux_sink reason) {    \
    return kmux::plugin_table(version, BackendClass::kInfo, &BackendClass::create, reason);                         \
  }
