// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/plugin/plugin.h"

namespace kmux {

/// Appends `text` to what `sink` has been given.
///
/// Threads: as of the sink.
inline void write(kmux_sink sink, std::string_view text) { sink.write(sink.self, text.data(), text.size()); }

/// A sink that appends to `text`.
///
/// Lifetime: borrows it.
inline kmux_sink append_to(std::string& text) noexcept {
  return {&text, [](void* self, const char* data, std::size_t size) noexcept -> std::int32_t {
            try {
              static_cast<std::string*>(self)->append(data, size);
              return 0;
            } catch (...) {  // no memory, or more than a string holds: nothing may be thrown through a plugin
              return 1;
            }
          }};
}

/// A sink that keeps nothing.
inline kmux_sink discard() noexcept {
  return {nullptr, [](void*, const char*, std::size_t) noexcept -> std::int32_t { return 0; }};
}

}  // namespace kmux
