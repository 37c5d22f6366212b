// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/plugin/plugin.h"

namespace kmux {

/// Writes `text` to `sink`.
///
/// Threads: as of the sink.
inline void write(kmux_sink sink, std::string_view text) { sink.write(sink.self, text.data(), text.size()); }

/// Returns a sink that appends to `text`.
///
/// Lifetime: borrows `text`, which must outlive the sink.
inline kmux_sink append_to(std::string& text) noexcept {
  return {&text, [](void* self, const char* data, std::size_t size) noexcept -> std::int32_t {
            try {
              static_cast<std::string*>(self)->append(data, size);
              return 0;
            } catch (...) {  // out of memory or beyond max_size: no exception may cross a plugin
              return 1;
            }
          }};
}

/// Returns a sink that discards everything written.
inline kmux_sink discard() noexcept {
  return {nullptr, [](void*, const char*, std::size_t) noexcept -> std::int32_t { return 0; }};
}

}  // namespace kmux
