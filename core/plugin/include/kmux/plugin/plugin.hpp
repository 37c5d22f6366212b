#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// The host services for plugins: options, logs, traces and threads. Plugins must not read the environment. A null
/// `api` provides none.
///
/// Threads: any.   Lifetime: outlives the backend.
class Host {
 public:
  /// Wraps `api`, which is borrowed.
  explicit Host(const kmux_host_api* api) : api_(api) {}
  /// Returns the value of a plugin-wide option ("cpu.engine"), or nothing if it is not set.
  std::optional<std::string> option(std::string_view name) const;
  /// The severity of a log message.
  enum class Level { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };
  /// Writes `text` to the host's log.
  void log(Level level, std::string_view text) const;
  /// The end of a span to mark.
  enum class Phase { kBegin = 0, kEnd = 1 };
  /// Marks the begin or end of span `name` on this thread.
  void trace(Phase phase, std::string_view name) const;
  /// Returns true if the process is about to exit. Builds must then stop and return any error.
  bool stopping() const;
  /// The application's thread pool.
  struct Threads {
    /// `kmux_host_api::run_on_threads`; null if the host has none.
    std::int32_t (*run)(void* self, std::uint32_t threads, void (*work)(void* context), void* context);
    /// The first argument of `run`.
    void* self;
  };
  /// Returns the application's threads; `run` is null without any.
  Threads threads() const;
  /// The application's request to end a launch early.
  struct Interruption {
    /// `kmux_host_api::interrupted`; null if the host has none.
    std::int32_t (*is_requested)(void* self);
    /// The first argument of `is_requested`.
    void* self;
  };
  /// Returns the function that long launches must call; `is_requested` is null without any.
  Interruption interruption() const;

 private:
  const kmux_host_api* api_;
};

/// The data fields of the plugin table.
struct PluginInfo {
  const char* name;  // as in the manifest
  const char* version;  // as in the manifest
  std::int32_t device_type;  // DLDeviceType of its memory
};

/// A backend assembled from three parts, each constructed from the host.
template <class WrapperPart, class BuilderPart, class DevicesPart>
class BackendOf : public Backend {
 public:
  /// Stores `host` and constructs the parts from it.
  explicit BackendOf(Host host) : host_(host), wrapper_(host), builder_(host), devices_(host) {}
  /// Constructs the builder and the devices with a shared `open`, which opens their common state on first use.
  template <class Open>
  BackendOf(Host host, Open open) : host_(host), wrapper_(host), builder_(host, open), devices_(open) {}

  Wrapper& wrapper() final { return wrapper_; }
  Builder& builder() final { return builder_; }
  DeviceApi& devices() final { return devices_; }

 protected:
  Host host_;  // log, trace, options
  WrapperPart wrapper_;  // prints launchers
  BuilderPart builder_;  // compiles
  DevicesPart devices_;  // memory, streams, events
};

/// Makes the backend of a plugin.
using BackendFactory = Result<std::unique_ptr<Backend>> (*)(Host host);

/// Writes `error` to `sink` in the ABI's form and returns its code.
kmux_code write_error(const Error& error, kmux_sink sink) noexcept;

/// Parses the ABI form of an error. A code that ErrorCode does not have becomes internal.
Error read_error(kmux_code code, std::string_view text);

/// Returns true if `BackendClass` overrides `standalone`. If false, its table has none. A class with only a `create`
/// always returns true: its backends decide.
template <class BackendClass>
constexpr bool can_export() {
  if constexpr (requires { &BackendClass::standalone; }) {
    return !std::is_same_v<decltype(&BackendClass::standalone), decltype(&Backend::standalone)>;
  } else {
    return true;
  }
}

/// Building blocks of KMUX_PLUGIN. No exception leaves the functions of the tables.
kmux_code create_backend(BackendFactory make, const kmux_host_api* host, void** instance, kmux_sink error) noexcept;
/// Returns the device table.
kmux_device_api device_functions(const PluginInfo& info);
/// Returns the plugin table.
kmux_plugin_api plugin_functions(const PluginInfo& info, const kmux_device_api* devices,
                                 decltype(kmux_plugin_api::create) create, bool exports);
/// Implements the plugin's one exported function: returns `table`, or null and writes the reason.
const kmux_plugin_api* answer_query(std::uint32_t host_max_version, const kmux_plugin_api& table,
                                    kmux_sink reason) noexcept;

/// Makes a `BackendClass`: by its `create` if it has one, else by its constructor from the host.
template <class BackendClass>
Result<std::unique_ptr<Backend>> make_backend(Host host) {
  if constexpr (requires { BackendClass::create(host); }) {
    return BackendClass::create(host);
  } else {
    return std::unique_ptr<Backend>(std::make_unique<BackendClass>(host));
  }
}

/// Returns the table of `BackendClass`, one per plugin.
template <class BackendClass>
const kmux_plugin_api* query_plugin(std::uint32_t host_max_version, kmux_sink reason) noexcept {
  constexpr auto create = [](const kmux_host_api* host, void** instance, kmux_sink error) noexcept {
    return create_backend(&make_backend<BackendClass>, host, instance, error);
  };
  static const kmux_device_api devices = device_functions(BackendClass::kInfo);
  static const kmux_plugin_api table =
      plugin_functions(BackendClass::kInfo, &devices, create, can_export<BackendClass>());
  return answer_query(host_max_version, table, reason);
}

}  // namespace kmux

/// Exports class `BackendClass` (derived from kmux::Backend) as the plugin of this library. The class must have
/// `static constexpr kmux::PluginInfo kInfo`, and a constructor from a kmux::Host or, if construction can fail,
/// `static Result<std::unique_ptr<Backend>> create(kmux::Host)`.
#define KMUX_PLUGIN(BackendClass)                                                                                   \
  extern "C" __attribute__((visibility("default"))) const kmux_plugin_api* kmux_plugin_query(std::uint32_t version, \
                                                                                             kmux_sink reason) {    \
    return kmux::query_plugin<BackendClass>(version, reason);                                                       \
  }
