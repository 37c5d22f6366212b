#pragma once

#include <string_view>

#include "kmux/plugin/plugin.h"

namespace kmux {

/// Appends `text` to what `sink` has been given.
///
/// Threads: as the sink's owner says.
inline void write(kmux_sink sink, std::string_view text) { sink.write(sink.self, text.data(), text.size()); }

}  // namespace kmux
