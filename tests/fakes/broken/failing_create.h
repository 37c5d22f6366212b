#pragma once

#include "sound.h"

/// A plugin that is valid until its backend is created.
#define KMUX_FAILING_CREATE(expression)                                                    \
  struct Failing {                                                                         \
    static constexpr kmux::PluginInfo kInfo = kmux::broken::Sound::kInfo;                  \
    static kmux::Result<std::unique_ptr<kmux::Backend>> create(kmux::Host) { expression; } \
  };                                                                                       \
  KMUX_PLUGIN(Failing)
