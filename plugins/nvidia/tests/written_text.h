#pragma once

#include <string>

#include "kmux/plugin/plugin.h"

namespace kmux::nvidia {

/// A sink that keeps what is written.
struct WrittenText {
  std::string text;

  kmux_sink sink() {
    return {this, [](void* self, const char* data, size_t size) {
              static_cast<WrittenText*>(self)->text.append(data, size);
            }};
  }
};

}  // namespace kmux::nvidia
