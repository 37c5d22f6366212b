#pragma once

#include <string>

#include "kmux/plugin/plugin.h"
#include "kmux/plugin/sink.h"

namespace kmux::nvidia {

/// A sink that stores the text written to it, which it owns.
struct WrittenText {
  std::string text;

  kmux_sink sink() { return append_to(text); }
};

}  // namespace kmux::nvidia
