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

/// An opened plugin: its library, its table and one instance.
///
/// Threads: any.   Lifetime: tensors, streams, kernels and builds hold it; the library is closed only by
/// `Registry::unload` with no holder left, never at process exit.
class KMUX_API Plugin {
 public:
  virtual ~Plugin() = default;
  /// The manifest that it was opened with.
  virtual const Manifest& manifest() const = 0;
  /// The path of its library.
  virtual const std::filesystem::path& library() const = 0;
  /// The plugin as the abstract class its author derived from.
  virtual Backend& backend() const = 0;
  /// The table itself, for the hot call.
  virtual const kmux_plugin_api& api() const = 0;
  /// The report of `probe`, called until it had the memory for an answer.
  virtual const Result<ProbeReport>& probe() const = 0;
};

/// A plugin that was found, opened or not, or refused.
struct PluginEntry {
  std::filesystem::path path;  // of the manifest, or of the folder that was refused
  Manifest manifest;           // empty name if it could not be read
  Status status = Ok{};  // why it was refused: world-writable folder, foreign owner, wrong ABI, other build-id, ...
};

/// Where plugins are searched, in order; the first of a name wins and later ones are listed as shadowed. Runtime::create takes what
/// is left empty of environment_path, plugin_options and variables from its environment.
struct RegistryOptions {
  std::vector<std::filesystem::path> search_path = {};  // by the API; before everything else
  std::vector<std::filesystem::path> environment_path = {};  // KMUX_PLUGIN_PATH
  bool use_default_path = true;  // beside libkmux.so, then the install prefix
  Options plugin_options = {};  // "cpu.engine" -> "host"
  std::map<std::string, std::string> variables = {};  // of the environment, for the options that manifests name
};

/// The plugins of a runtime. Reads manifests at once and opens a library when it is first needed.
///
/// Threads: any.
class KMUX_API Registry {
 public:
  /// Searches for plugins by `options`. One that is refused is not an error: `entries` has it with the reason.
  static Result<std::unique_ptr<Registry>> open(const RegistryOptions& options);
  virtual ~Registry() = default;

  /// The folders that were searched, in order, whether they exist or not.
  virtual std::vector<std::filesystem::path> search_path() const = 0;

  /// Everything found, in search order, refusals included.
  ///
  /// Lifetime: the registry's; neither these nor `manifests` change.
  virtual const std::vector<PluginEntry>& entries() const = 0;

  /// What the plugins read when they look up an option.
  virtual Options plugin_options() const { return {}; }

  /// The manifests of the usable plugins, best priority first, ties by name.
  virtual const std::vector<Manifest>& manifests() const = 0;

  /// Opens (once) the plugin of that exact name.
  ///
  /// Errors: unavailable with the loader's own text or the refusal's reason; invalid_argument for an unknown name, with
  /// the known ones.
  virtual Result<Shared<Plugin>> plugin(std::string_view name) = 0;

  /// Closes the library of `name`, if it is open, and forgets that it could not be opened.
  ///
  /// Errors: unavailable that names what still holds it.
  virtual Status unload(std::string_view name) = 0;

  /// Sets a callback for a plugin that is to be unloaded, before its holders are counted.
  virtual void on_unload(std::function<void(std::string_view name)> listener) = 0;

  /// Compares each library's SHA-256 with the one recorded at installation, where there is one.
  virtual Status verify() const = 0;

  /// Sets what is asked before a library is opened for the first time; its error is what `plugin` answers then. A runtime has
  /// plugins that are not kmux's own tried in a process of their own (docs/design/0052-isolated-probing.md); without a runtime
  /// nothing is asked.
  virtual void on_first_use(std::function<Status(const PluginEntry& entry)> ask) { ask = nullptr; }
};

}  // namespace kmux
