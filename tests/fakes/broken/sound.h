#pragma once

#include "backend.h"

namespace kmux::broken {

/// The backend of ../null under the name of this fixture.
struct Sound {
  static constexpr PluginInfo kInfo{KMUX_BROKEN_NAME, "0.1.0", kDLExtDev};
  static Result<std::unique_ptr<Backend>> create(Host host) { return null::NullBackend::create(host); }
};

}  // namespace kmux::broken

/// Exports a query that returns `expression` over `table`, the table of a valid plugin.
#define KMUX_BROKEN_TABLE(expression)                                                         \
  extern "C" __attribute__((visibility("default"))) const kmux_plugin_api* kmux_plugin_query( \
      std::uint32_t version, [[maybe_unused]] kmux_sink reason) {                             \
    static kmux_plugin_api table = *kmux::query_plugin<kmux::broken::Sound>(version, reason); \
    expression;                                                                               \
    return &table;                                                                            \
  }
