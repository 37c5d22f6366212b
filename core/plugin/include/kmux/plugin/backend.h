#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/features.h"
#include "kmux/plugin/plugin.h"
#include "kmux/target.h"

namespace kmux {

/// The availability of a capability on this machine. An empty code means available; otherwise a word and a sentence
/// give the reason.
struct Availability {
  std::string code = {};  // "no_device", "no_toolchain", ...; empty: available
  std::string reason = {};  // a sentence; empty: available
  /// Returns true if the capability is available.
  bool ok() const { return code.empty(); }
  bool operator==(const Availability&) const = default;
};

/// The capabilities of a backend on this machine.
struct ProbeReport {
  Availability can_build;  // a compiler is present
  Availability can_run;  // a device is present
  bool operator==(const ProbeReport&) const = default;
};

/// The callee's view of one cold call: cancellation, remaining time, progress.
///
/// Threads: any.   Lifetime: valid until the call returns.
class CallContext {
 public:
  /// A call that is never cancelled and has no time limit.
  CallContext() = default;
  /// Wraps `call`, which is borrowed. Null behaves like the default constructor.
  explicit CallContext(const kmux_call* call) : call_(call) {}

  /// Returns true if no caller needs the result any more. The callee must then return `cancelled`.
  bool is_cancelled() const;
  /// Returns the remaining time of the call, or nothing if it has no limit.
  std::optional<std::chrono::nanoseconds> time_left() const;
  /// Returns the error that must end the call, or ok. Loops call it between steps.
  ///
  /// Errors: cancelled; timed_out.
  Status check() const;
  /// Reports progress: the completed fraction from 0 to 1 (below 0: unknown) and the current activity.
  void progress(double fraction, std::string_view phrase) const;
  /// The severity of a log line.
  enum class Level { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };
  /// Writes a line about this call to the host's log.
  void log(Level level, std::string_view text) const;

 private:
  const kmux_call* call_ = nullptr;
};

/// The input of a build. Borrowed for the call.
struct BuildRequest {
  const Program& program;  // must be valid
  std::size_t variant = 0;  // index in Program::variants
  Target target;  // canonical
  Options options;  // backend options
  CallContext call = {};  // the host's view of this call

  /// Returns the variant to build.
  const Variant& chosen() const { return program.variants[variant]; }
};

/// Generates the launcher of a variant: source text in the backend's host language, or a printed plan.
class Wrapper {
 public:
  virtual ~Wrapper() = default;
  /// Errors: unsupported for a variant that this backend cannot launch; invalid_argument for a bad option.
  virtual Result<std::string> wrap(const BuildRequest& request) = 0;
};

/// Compiles the sources and the launcher of a variant.
class Builder {
 public:
  virtual ~Builder() = default;
  /// Returns the identity of the toolchain for cache keys, without starting a process.
  virtual Result<std::string> toolchain(const Target& target, const Options& options) = 0;
  /// Errors: compile_failed with the compiler's text as note "log"; unsupported for a source construct that this
  /// backend cannot compile; unavailable without the toolchain.
  virtual Result<Artifact> build(const BuildRequest& request, std::string_view launcher) = 0;
};

/// The hot call of an adapter as stored in a plugin's table: a function and its object.
struct LaunchEntry : kmux_launch_entry {
  /// Calls the function.
  kmux_code operator()(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) const noexcept {
    return function(adapter, slots, &env, error);
  }
};

/// The location of a program's constant on a device.
struct ConstantPlace {
  void* address = nullptr;  // on the device
  std::uint64_t bytes = 0;  // its size in the code
};

/// A loaded artifact that can be launched.
///
/// Threads: `launch` is thread-safe.   Lifetime: the destructor waits for launches where the device needs it.
class Adapter {
 public:
  virtual ~Adapter() = default;
  /// Prepares `device` for launches, once: opens contexts, loads modules.
  virtual Status prepare(int device) = 0;
  /// The hot call. It must not throw, allocate, lock or look anything up. On failure it writes a message to `error`.
  virtual kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept = 0;
  /// Returns the location of the program's constant `name` on `device`. Prepares the device first.
  ///
  /// Errors: those of `prepare`; unsupported where the backend has no constants.
  virtual Result<ConstantPlace> constant(int device, std::string_view name);
  /// Returns a direct entry point to `launch`. Callers may keep it as long as the adapter lives.
  virtual LaunchEntry entry() noexcept {
    constexpr auto call = [](void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) noexcept {
      return static_cast<Adapter*>(self)->launch(slots, *env, error);
    };
    return {{call, this}};
  }
};

/// The devices of a backend. Device ordinals are below `count`; a null stream is the default stream. No function may
/// invalidate a capture that another library has begun, in any mode, on this thread or another.
class DeviceApi {
 public:
  virtual ~DeviceApi() = default;
  /// Returns the number of devices; 0 is not an error.
  virtual Result<int> count() = 0;
  /// Returns an object with at least "name" and "arch".
  virtual Result<Json> properties(int device) = 0;
  /// Allocates memory in the order of `stream`. Later work on that stream may use it until it is freed in stream order.
  /// While `stream` is being captured, both calls become nodes of the graph.
  virtual Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) = 0;
  /// Frees memory in the order of `stream`.
  virtual void free(int device, void* stream, void* address) noexcept = 0;
  /// Copies in the order of `stream`; device to device means within one device. May return before the copy completes:
  /// callers must synchronize `stream` before reading.
  virtual Status copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) = 0;
  /// Fills `bytes` bytes with `value` in the order of `stream`.
  virtual Status memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) = 0;
  /// Units: bytes of a device.
  struct MemoryInfo {
    std::uint64_t free_bytes = 0;  // now
    std::uint64_t total_bytes = 0;  // capacity
  };
  /// Returns the free and total memory of the device.
  virtual Result<MemoryInfo> memory_info(int device) = 0;
  /// Creates a stream that does not synchronize with the default stream.
  virtual Result<void*> stream_create(int device) = 0;
  /// Destroys the stream.
  virtual void stream_destroy(int device, void* stream) noexcept = 0;
  /// Blocks until all work in the stream has completed.
  virtual Status stream_synchronize(int device, void* stream) = 0;
  /// Creates a timed event.
  virtual Result<void*> event_create(int device) = 0;
  /// Destroys the event.
  virtual void event_destroy(int device, void* event) noexcept = 0;
  /// Records the current end of the stream's work in `event`.
  virtual Status event_record(int device, void* event, void* stream) = 0;
  /// Returns the time from `begin` to `end`. Blocks until both events have completed. Units: milliseconds.
  virtual Result<double> event_elapsed(int device, void* begin, void* end) = 0;
  /// Evicts the contents of the L2 cache; unsupported where the device cannot.
  virtual Status l2_flush(int device, void* stream);
  /// Makes later work in `stream` wait on the device for the last record of `event`. An event that was never recorded
  /// is not waited for. Recording the event again does not change an earlier wait.
  virtual Status stream_wait_event(int device, void* stream, void* event) = 0;
  /// Returns the capture that `stream` belongs to, as a number that is unique in the process, or 0 if it is not being
  /// captured. Returns `kInTheWay` if the stream is not being captured but work on it would invalidate a capture.
  virtual Result<std::uint64_t> stream_capture(int /*device*/, void* /*stream*/) { return std::uint64_t{0}; }
  static constexpr std::uint64_t kInTheWay = ~std::uint64_t{0};  // result of `stream_capture`
  /// Creates an untimed event for `stream_wait_event` only; cheaper to record. `event_elapsed` waits for it and fails.
  virtual Result<void*> event_create_untimed(int device) { return event_create(device); }
  /// Allocates page-locked host memory, from and to which all devices of the backend copy asynchronously.
  virtual Result<void*> host_allocate(int device, std::size_t bytes, std::size_t alignment);
  /// Frees page-locked memory. The last copy from and to it must have completed.
  virtual void host_free(int /*device*/, void* /*address*/) noexcept {}
  /// Like `stream_create`, which uses priority 0; lower values run first. Values beyond the device's range are clamped.
  virtual Result<void*> stream_create_with_priority(int device, int priority);
  /// Copies from `from` on device `from_device` of the same backend, in the order of `stream`, which belongs to
  /// `device`.
  virtual Status copy_peer(int device, void* stream, void* to, int from_device, const void* from, std::size_t bytes);
};

/// A backend: the base class of plugins and the host's view of them.
///
/// Threads: all functions must be thread-safe.   Lifetime: outlives its adapters.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Reports the capabilities on this machine. Must be cheap and create no context.
  virtual Result<ProbeReport> probe() = 0;
  /// Returns the canonical target for `request` ("auto" or any text that `parse_target` accepts).
  ///
  /// Errors: invalid_argument that names the accepted targets; unavailable if "auto" needs a device and none is
  /// present.
  virtual Result<Target> resolve_target(std::string_view request, std::optional<int> device) = 0;
  /// Returns the features of the variant that the backend lacks; empty means supported. Must look at the IR only.
  virtual Result<std::vector<MissingFeature>> supports(const BuildRequest& request) = 0;
  /// Returns its launcher generator.
  virtual Wrapper& wrapper() = 0;
  /// Returns its compiler.
  virtual Builder& builder() = 0;
  /// Loads an artifact of this backend's builder for `device`.
  virtual Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) = 0;
  /// Returns its devices.
  virtual DeviceApi& devices() = 0;
  /// Returns the parts of a library that runs `built`, an artifact of the same request, without kmux:
  ///
  /// - `launcher.cpp`: one C++17 unit that includes only headers of libc and libstdc++. It declares the output of
  ///   `launcher_prelude` and defines, with C names and hidden visibility,
  ///     int kmux_standalone_prepare(int device, kmux_sink error);
  ///     int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  ///     void kmux_standalone_close(void);
  ///   with the contracts of `Adapter`; an environment without an allocator means the unit's own.
  /// - `NAME.o`: an object file to link unchanged.
  /// - `link.json`: {"device_type": DLPack's number, "libraries": ["dl", ...]}.
  /// - all other parts: files beside the unit, for its `.incbin`.
  ///
  /// Errors: unsupported where the backend, or this program with it, cannot be exported; as `build` otherwise.
  virtual Result<Artifact> standalone(const BuildRequest& request, const Artifact& built);
};

/// Returns the error of a backend that cannot set constants. `who` is for example `backend "metal"`.
Error no_constants(std::string_view who);

/// Returns the error of a backend that has no `standalone`. `who` is for example `backend "hip"`.
Error cannot_export(std::string_view who);

}  // namespace kmux
