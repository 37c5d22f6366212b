#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"

namespace kmux {

/// An open plugin: its library, its function table and one instance.
///
/// Threads: any.   Lifetime: tensors, streams, kernels and builds share ownership of it. Only `Registry::unload` closes
/// the library, once no owner is left; process exit never does.
class KMUX_API Plugin {
 public:
  virtual ~Plugin() = default;
  /// Returns the manifest that it was opened with.
  virtual const Manifest& manifest() const = 0;
  /// Returns the path of its library.
  virtual const std::filesystem::path& library() const = 0;
  /// Returns the plugin as the abstract class that its author derives from.
  virtual Backend& backend() const = 0;
  /// Returns the function table, for the launch path.
  virtual const kmux_plugin_api& api() const = 0;
  /// Returns the result of `probe`. A probe that ran out of memory is called again.
  virtual const Result<ProbeReport>& probe() const = 0;
};

/// A plugin that the search found: usable, opened or not, or refused.
struct PluginEntry {
  std::filesystem::path path;  // of the manifest, or of the folder that was refused
  Manifest manifest;  // empty name if it could not be read
  Status status = Ok{};  // the reason if refused: world-writable folder, foreign owner, wrong ABI, other build-id, ...
};

/// Where the registry searches for plugins, in order. The first plugin of a name wins; later ones are listed as
/// shadowed. Runtime::create fills environment_path, plugin_options and variables from its environment if they are
/// empty.
struct RegistryOptions {
  std::vector<std::filesystem::path> search_path = {};  // set through the API; searched first
  std::vector<std::filesystem::path> environment_path = {};  // KMUX_PLUGIN_PATH
  bool use_default_path = true;  // beside libkmux.so, then the install prefix
  Options plugin_options = {};  // "cpu.engine" -> "host"
  std::map<std::string, std::string> variables = {};  // environment variables, for the options that manifests name
};

/// The plugins of a runtime. Reads manifests on construction and opens a library on first use.
///
/// Threads: any.
class KMUX_API Registry {
 public:
  /// Searches for plugins by `options`. A refused plugin is not an error: `entries` lists it with the reason.
  static Result<std::unique_ptr<Registry>> open(const RegistryOptions& options);
  virtual ~Registry() = default;

  /// Returns the searched folders in order, whether they exist or not.
  virtual std::vector<std::filesystem::path> search_path() const = 0;

  /// Returns all plugins found, in search order, including refused ones.
  ///
  /// Lifetime: valid as long as the registry; neither these nor `manifests` change.
  virtual const std::vector<PluginEntry>& entries() const = 0;

  /// Returns the options that plugins look up.
  virtual Options plugin_options() const { return {}; }

  /// Returns the manifests of the usable plugins, highest priority first, ties by name.
  virtual const std::vector<Manifest>& manifests() const = 0;

  /// Returns the plugin of that exact name, opening it on first use.
  ///
  /// Errors: unavailable with the loader's message or the reason of the refusal; invalid_argument for an unknown name,
  /// with the known names.
  virtual Result<Shared<Plugin>> plugin(std::string_view name) = 0;

  /// Closes the library of `name` if it is open, and discards a remembered failure to open it.
  ///
  /// Errors: unavailable while kernels, tensors, streams or devices still hold it; the message has their number.
  virtual Status unload(std::string_view name) = 0;

  /// Sets a callback that `unload` calls before it counts the owners of the plugin.
  virtual void on_unload(std::function<void(std::string_view name)> listener) = 0;

  /// Compares each library's SHA-256 with the digest recorded at installation, if one was recorded.
  ///
  /// Errors: unavailable that names the first library with another digest.
  virtual Status verify() const = 0;

  /// Sets a check that runs before a library is first opened. If it fails, `plugin` returns its error. A runtime uses
  /// it to try third-party plugins in a separate process (docs/design/0052-isolated-probing.md). Without a runtime no
  /// check runs.
  virtual void on_first_use(std::function<Status(const PluginEntry& entry)> ask) { ask = nullptr; }
};

}  // namespace kmux
