#pragma once

#include <vector>

#include "kmux/registry.h"

#include "refusal.h"

namespace kmux {

class SupportMemo;

/// Asks the plugin of `entry` what the stages need to know, and nothing once every variant is refused: a plugin that its
/// manifest rules out is not opened.
PluginFacts gather(Registry& registry, SupportMemo& memo, const Inquiry& inquiry, const PluginEntry& entry);

}  // namespace kmux
