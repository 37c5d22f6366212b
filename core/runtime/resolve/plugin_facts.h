#pragma once

#include <vector>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "ranking.h"

namespace kmux {

/// Asks the plugin of `entry` what the stages need to know, and nothing once every variant is refused: a plugin that its
/// manifest rules out is not opened.
PluginFacts gather(Runtime& runtime, const Inquiry& inquiry, const PluginEntry& entry);

}  // namespace kmux
