#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/registry.h"

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

/// A plugin whose library is open.
class PluginLibrary : public Plugin {
 public:
  /// Makes the destructor close the library. Without it the library stays in the process, since threads, exceptions or
  /// functions of the plugin may still be in use.
  virtual void close_when_released() = 0;
  /// What the table's `create` made.
  virtual void* instance() const = 0;
};

/// Opens `library`, asks for its table, checks it and makes its instance.
///
/// `options` answers what the plugin asks of its host; copied.
/// Errors: unavailable with the loader's own text and the manifest's hints, for a table that is too new, too small or
///         incomplete, or with the plugin's own reason; internal if the plugin threw.
Result<Shared<PluginLibrary>> open_plugin(const Manifest& manifest, const std::filesystem::path& library,
                                          const Options& options);

}  // namespace kmux
