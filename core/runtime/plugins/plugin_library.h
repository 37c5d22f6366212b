#pragma once

#include <filesystem>
#include <memory>

#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

namespace kmux {

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
Result<std::shared_ptr<PluginLibrary>> open_plugin(const Manifest& manifest, const std::filesystem::path& library,
                                                   const Options& options);

}  // namespace kmux
