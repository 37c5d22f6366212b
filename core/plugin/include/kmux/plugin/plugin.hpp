#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// What a plugin may ask of its host: options and logs. Plugins never read the environment. A null `api` is a host that
/// has neither.
///
/// Threads: any.   Lifetime: outlives the backend.
class Host {
 public:
  /// The host behind `api`, which is borrowed.
  explicit Host(const kmux_host_api* api) : api_(api) {}
  /// The value of an option of the whole plugin ("cpu.engine"), if it is set.
  std::optional<std::string> option(std::string_view name) const;
  /// How serious a log message is.
  enum class Level { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };
  /// Writes `text` to the log of the host.
  void log(Level level, std::string_view text) const;
  /// Which end of a span is marked.
  enum class Phase { kBegin = 0, kEnd = 1 };
  /// Marks where the span `name` begins or ends on this thread.
  void trace(Phase phase, std::string_view name) const;
  /// Whether the process is about to end: a build that sees it gives up, with any error.
  bool stopping() const;
  /// The threads that the application lends.
  struct Threads {
    /// `kmux_host_api::run_on_threads`; null if this host has none.
    std::int32_t (*run)(void* self, std::uint32_t threads, void (*work)(void* context), void* context);
    /// The first argument of `run`.
    void* self;
  };
  /// The threads that the application lends, if it does.
  Threads threads() const;

 private:
  const kmux_host_api* api_;
};

/// What the table has besides functions.
struct PluginInfo {
  const char* name;  // as in the manifest
  const char* version;  // as in the manifest
  std::int32_t device_type;  // DLDeviceType of its memory
};

/// A backend of three parts that are each made from the host.
template <class WrapperPart, class BuilderPart, class DevicesPart>
class BackendOf : public Backend {
 public:
  /// Keeps `host`, and makes the parts from it.
  explicit BackendOf(Host host) : host_(host), wrapper_(host), builder_(host), devices_(host) {}
  /// Of a builder and devices that share what `open` opens when it is first needed.
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

/// Reads the ABI's form back. A code that ErrorCode does not have becomes internal.
Error read_error(kmux_code code, std::string_view text);

/// Has `BackendClass` a `standalone` of its own? If not, its table has none. A class that only makes backends leaves the
/// answer to them.
template <class BackendClass>
constexpr bool can_export() {
  if constexpr (requires { &BackendClass::standalone; }) {
    return !std::is_same_v<decltype(&BackendClass::standalone), decltype(&Backend::standalone)>;
  } else {
    return true;
  }
}

/// Pieces of KMUX_PLUGIN. No exception leaves the functions of the tables.
kmux_code create_backend(BackendFactory make, const kmux_host_api* host, void** instance, kmux_sink error) noexcept;
/// The table of the devices.
kmux_device_api device_functions(const PluginInfo& info);
/// The table of the plugin.
kmux_plugin_api plugin_functions(const PluginInfo& info, const kmux_device_api* devices,
                                 decltype(kmux_plugin_api::create) create, bool exports);
/// What the plugin's one exported function answers: `table`, or null and why.
const kmux_plugin_api* answer_query(std::uint32_t host_max_version, const kmux_plugin_api& table,
                                    kmux_sink reason) noexcept;

/// A backend of that class: by its `create`, else made from the host.
template <class BackendClass>
Result<std::unique_ptr<Backend>> make_backend(Host host) {
  if constexpr (requires { BackendClass::create(host); }) {
    return BackendClass::create(host);
  } else {
    return std::unique_ptr<Backend>(std::make_unique<BackendClass>(host));
  }
}

/// The table of `BackendClass`, one a plugin.
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

/// Exports class `BackendClass` (derived from kmux::Backend) as the plugin of this library. It has
/// `static constexpr kmux::PluginInfo kInfo`, and a constructor from a kmux::Host or, where that can fail,
/// `static Result<std::unique_ptr<Backend>> create(kmux::Host)`.
#define KMUX_PLUGIN(BackendClass)                                                                                   \
  extern "C" __attribute__((visibility("default"))) const kmux_plugin_api* kmux_plugin_query(std::uint32_t version, \
                                                                                             kmux_sink reason) {    \
    return kmux::query_plugin<BackendClass>(version, reason);                                                       \
  }
