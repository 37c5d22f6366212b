#pragma once

#include <string>
#include <string_view>

#include "kmux/plugin/plugin.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux {

/// A string that a plugin writes to.
class ByteSink {
 public:
  kmux_sink get() {
    return {this, [](void* self, const char* data, std::size_t size) {
              static_cast<ByteSink*>(self)->text_.append(data, size);
            }};
  }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

inline kmux_bytes bytes_view(std::string_view text) { return {text.data(), text.size()}; }

/// The error of a plugin whose answer is not what the ABI says.
inline Error malformed_answer(const char* plugin, std::string_view what, std::string_view why) {
  return make_error(ErrorCode::kInternal, "plugin \"" + std::string(plugin) + "\" gave " + std::string(what) + " (" +
                                              std::string(why) +
                                              "). This is a bug of the plugin; report it to its author.");
}

/// Calls `call` with an error sink; a non-zero code becomes the error that was written, with the backend's name.
template <class Call>
Status call_plugin(const char* backend, Call call) {
  ByteSink text;
  const kmux_code code = call(text.get());
  if (code == KMUX_OK) return Ok{};
  return read_error(code, text.text()).with("backend", backend);
}

}  // namespace kmux
