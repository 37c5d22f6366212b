#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "kmux/guarded.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/registry.h"

namespace kmux {

/// A string that a plugin writes to.
class ByteSink {
 public:
  kmux_sink get() {
    return {this, [](void* self, const char* data, std::size_t size) noexcept -> std::int32_t {
              return static_cast<ByteSink*>(self)->append(data, size) ? 0 : 1;
            }};
  }
  /// Returns true if the host ran out of memory, so that `text` is truncated.
  bool is_cut() const { return cut_; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  bool append(const char* data, std::size_t size) noexcept {
    try {
      if (!cut_) text_.append(data, size);
    } catch (...) {  // out of memory, or longer than a string can be; must not throw through a plugin
      cut_ = true;
    }
    return !cut_;
  }

  std::string text_;
  bool cut_ = false;
};

inline kmux_bytes bytes_view(std::string_view text) { return {text.data(), text.size()}; }

/// Returns the error for a plugin result that violates the ABI.
inline Error malformed_answer(const char* plugin, std::string_view what, std::string_view why) {
  return make_error(ErrorCode::kInternal, "plugin \"" + std::string(plugin) + "\" gave " + std::string(what) + " (" +
                                              std::string(why) +
                                              "). This is a bug of the plugin; report it to its author.");
}

/// Calls `call` with an error sink. A non-zero code becomes the written error, with the backend's name. An exception,
/// which a plugin must not throw, becomes an error that names the plugin.
template <class Call>
Status call_plugin(const char* backend, Call call) {
  ByteSink text;
  kmux_code code = KMUX_INTERNAL;
  try {
    code = call(text.get());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& thrown) {
    return malformed_answer(backend, "an exception", thrown.what());
  } catch (...) {
    return malformed_answer(backend, "an exception", "of unknown type");
  }
  if (code == KMUX_OK) return Ok{};
  return read_error(code, text.text()).with("backend", backend);
}

/// Calls `call` with a sink for the result, then one for the error, and returns the result.
///
/// Errors: out_of_memory if the host ran out of memory for the result, regardless of the returned code.
template <class Call>
Result<std::string> answer_of(const char* backend, Call call) {
  ByteSink answer;
  const Status status = call_plugin(backend, [&](kmux_sink error) { return call(answer.get(), error); });
  if (answer.is_cut()) return out_of_memory();
  if (!status) return std::move(status).error();
  return answer.take();
}

/// A plugin whose library is open.
class PluginLibrary : public Plugin {
 public:
  /// Makes the destructor close the library. By default the library stays loaded, since threads, exceptions or
  /// functions of the plugin may still be in use.
  virtual void close_when_released() = 0;
  /// Returns the instance that the table's `create` made.
  virtual void* instance() const = 0;
};

/// Opens `library`, queries and checks its table, and creates its instance.
///
/// The plugin looks up its options in `options`, which is copied.
/// Errors: unavailable with the loader's message and the manifest's hints, for a table that is too new, too small or
///         incomplete, or with the plugin's own reason; internal if the plugin threw.
Result<Shared<PluginLibrary>> open_plugin(const Manifest& manifest, const std::filesystem::path& library,
                                          const Options& options);

}  // namespace kmux
