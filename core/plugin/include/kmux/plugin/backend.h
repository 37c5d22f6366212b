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

/// Whether something works here: an empty code means yes; else a word and a sentence with the reason.
struct Availability {
  std::string code = {};  // "no_device", "no_toolchain", ...; empty: yes
  std::string reason = {};  // a sentence; empty: yes
  /// Does it work?
  bool ok() const { return code.empty(); }
  bool operator==(const Availability&) const = default;
};

/// What a backend can do on this machine.
struct ProbeReport {
  Availability can_build;  // is there a compiler?
  Availability can_run;  // is there a device?
  bool operator==(const ProbeReport&) const = default;
};

/// One cold call, seen from within: whether it is still wanted, how long it may take, how far it is.
///
/// Threads: any.   Lifetime: that of the call.
class CallContext {
 public:
  /// A call that nobody cancels and that may take its time.
  CallContext() = default;
  /// The context behind `call`, which is borrowed; null: as above.
  explicit CallContext(const kmux_call* call) : call_(call) {}

  /// Is the result of no use to anybody? Then give up with `cancelled`.
  bool is_cancelled() const;
  /// How long the call may still take; nothing without a limit.
  std::optional<std::chrono::nanoseconds> time_left() const;
  /// The error to give up with, if it is time to: for loops over steps.
  ///
  /// Errors: cancelled; timed_out.
  Status check() const;
  /// What is done of the call, from 0 to 1 (below 0: not known), and what it does now.
  void progress(double fraction, std::string_view phrase) const;
  /// How serious a line is.
  enum class Level { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };
  /// Writes a line that belongs to this call to the host's log.
  void log(Level level, std::string_view text) const;

 private:
  const kmux_call* call_ = nullptr;
};

/// What is built. Borrowed for the call.
struct BuildRequest {
  const Program& program;  // a valid one
  std::size_t variant = 0;  // index in Program::variants
  Target target;  // canonical
  Options options;  // of the backend
  CallContext call = {};  // what the host knows of this call

  /// The variant that is built.
  const Variant& chosen() const { return program.variants[variant]; }
};

/// Makes the launcher of a variant: text in the backend's host language, or a printed plan.
class Wrapper {
 public:
  virtual ~Wrapper() = default;
  /// Errors: unsupported for what this backend cannot launch; invalid_argument for a bad option.
  virtual Result<std::string> wrap(const BuildRequest& request) = 0;
};

/// Compiles the sources and the launcher of a variant.
class Builder {
 public:
  virtual ~Builder() = default;
  /// Identity of the toolchain for cache keys, without starting a process.
  virtual Result<std::string> toolchain(const Target& target, const Options& options) = 0;
  /// Errors: compile_failed with the compiler's text as note "log"; unsupported for a source construct that this
  /// backend cannot compile; unavailable without the toolchain.
  virtual Result<Artifact> build(const BuildRequest& request, std::string_view launcher) = 0;
};

/// The hot call of an adapter as it lies in a plugin's table: a function, and what it is called on.
struct LaunchEntry : kmux_launch_entry {
  /// Launches.
  kmux_code operator()(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) const noexcept {
    return function(adapter, slots, &env, error);
  }
};

/// Where a constant of a program lies on a device.
struct ConstantPlace {
  void* address = nullptr;  // on the device
  std::uint64_t bytes = 0;  // that it has in the code
};

/// A loaded artifact that can be launched.
///
/// Threads: `launch` any, concurrently.   Lifetime: the destructor waits for launches where the device needs it.
class Adapter {
 public:
  virtual ~Adapter() = default;
  /// Makes launches on `device` possible, once: opens contexts, loads modules.
  virtual Status prepare(int device) = 0;
  /// The hot call. Never throws, allocates, locks or looks anything up. A failure writes its text to `error`.
  virtual kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept = 0;
  /// Where the constant `name` of the program lies on `device`, which this prepares.
  ///
  /// Errors: those of `prepare`; unsupported where the backend has no constants.
  virtual Result<ConstantPlace> constant(int device, std::string_view name);
  /// What `launch` comes to, for a caller that keeps it as long as the adapter lives.
  virtual LaunchEntry entry() noexcept {
    constexpr auto call = [](void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) noexcept {
      return static_cast<Adapter*>(self)->launch(slots, *env, error);
    };
    return {{call, this}};
  }
};

/// The devices of a backend. Device ordinals are below `count`; a null stream is the default one. No function
/// spoils a capture that another library has begun, in any mode, on this thread or another.
class DeviceApi {
 public:
  virtual ~DeviceApi() = default;
  /// How many devices there are; 0 is not an error.
  virtual Result<int> count() = 0;
  /// An object with at least "name" and "arch".
  virtual Result<Json> properties(int device) = 0;
  /// Memory in the order of `stream`: what comes after it there may use it, until `free` in the order of its stream. While
  /// `stream` is captured, both become nodes of the graph.
  virtual Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) = 0;
  /// Gives memory back in the order of `stream`.
  virtual void free(int device, void* stream, void* address) noexcept = 0;
  /// Copies in the order of `stream`, device to device on one device only. It need not wait: who wants the bytes does, on `stream`.
  virtual Status copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) = 0;
  /// Sets bytes in the order of `stream`.
  virtual Status memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) = 0;
  /// Units: bytes of a device.
  struct MemoryInfo {
    std::uint64_t free_bytes = 0;  // now
    std::uint64_t total_bytes = 0;  // in all
  };
  /// What is free now, and what there is.
  virtual Result<MemoryInfo> memory_info(int device) = 0;
  /// A new stream, which does not wait for the default one.
  virtual Result<void*> stream_create(int device) = 0;
  /// Destroys it.
  virtual void stream_destroy(int device, void* stream) noexcept = 0;
  /// Waits for what is in the stream.
  virtual Status stream_synchronize(int device, void* stream) = 0;
  /// A new event with a time.
  virtual Result<void*> event_create(int device) = 0;
  /// Destroys it.
  virtual void event_destroy(int device, void* event) noexcept = 0;
  /// Records the point that the stream has reached.
  virtual Status event_record(int device, void* event, void* stream) = 0;
  /// Units: milliseconds. Waits for both events.
  virtual Result<double> event_elapsed(int device, void* begin, void* end) = 0;
  /// Replaces what the L2 cache holds; unsupported where that cannot be done.
  virtual Status l2_flush(int device, void* stream);
  /// What comes after it in `stream` waits on the device for what `event` was recorded behind; for nothing if it was never
  /// recorded. Recording the event again does not change that.
  virtual Status stream_wait_event(int device, void* stream, void* event) = 0;
  /// The capture that records `stream` now, as a number that no other one in the process has; 0: none does. `kInTheWay`:
  /// the stream is in no capture, but work there would spoil one.
  virtual Result<std::uint64_t> stream_capture(int /*device*/, void* /*stream*/) { return std::uint64_t{0}; }
  static constexpr std::uint64_t kInTheWay = ~std::uint64_t{0};  // of `stream_capture`
  /// An event without a time, for `stream_wait_event` alone: cheaper to record. `event_elapsed` waits for it and fails.
  virtual Result<void*> event_create_untimed(int device) { return event_create(device); }
  /// Memory of the host that all devices of the backend copy to and from while the host goes on (page-locked).
  virtual Result<void*> host_allocate(int device, std::size_t bytes, std::size_t alignment);
  /// Gives it back, after the last copy from and to it.
  virtual void host_free(int /*device*/, void* /*address*/) noexcept {}
  /// As `stream_create`, whose priority is 0; the lower goes first. The device's own limit stands for what is beyond it.
  virtual Result<void*> stream_create_with_priority(int device, int priority);
  /// Copies from `from`, on device `from_device` of the same backend, in the order of `stream`, which is one of `device`.
  virtual Status copy_peer(int device, void* stream, void* to, int from_device, const void* from, std::size_t bytes);
};

/// A backend: what a plugin author derives from, and what the host sees.
///
/// Threads: every function may be called from any thread.   Lifetime: outlives its adapters.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Cheap, creates no context.
  virtual Result<ProbeReport> probe() = 0;
  /// The canonical target for `request` ("auto" or anything that `parse_target` reads).
  ///
  /// Errors: invalid_argument that names the targets that this backend takes; unavailable if "auto" needs a device that is
  /// not there.
  virtual Result<Target> resolve_target(std::string_view request, std::optional<int> device) = 0;
  /// What the backend lacks for the variant; empty means it can do it. Looks at the IR only.
  virtual Result<std::vector<MissingFeature>> supports(const BuildRequest& request) = 0;
  /// Makes its launchers.
  virtual Wrapper& wrapper() = 0;
  /// Compiles for it.
  virtual Builder& builder() = 0;
  /// Loads what the builder made for `device`.
  virtual Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) = 0;
  /// Its devices.
  virtual DeviceApi& devices() = 0;
  /// What a library consists of that runs `built`, an artifact of the same request, without kmux. Its parts:
  ///
  /// - `launcher.cpp`: one C++17 unit that includes headers of libc and libstdc++ alone. It declares what
  ///   `launcher_prelude` prints and defines, with C names and hidden visibility,
  ///     int kmux_standalone_prepare(int device, kmux_sink error);
  ///     int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  ///     void kmux_standalone_close(void);
  ///   with the contracts of `Adapter`; an environment without an allocator means the unit's own.
  /// - `NAME.o`: an object that is linked as it is.
  /// - `link.json`: {"device_type": DLPack's number, "libraries": ["dl", ...]}.
  /// - every other part: a file beside the unit, for its `.incbin`.
  ///
  /// Errors: unsupported where the backend, or this program with it, cannot be exported; as `build` otherwise.
  virtual Result<Artifact> standalone(const BuildRequest& request, const Artifact& built);
};

/// The refusal of a backend that cannot set constants: of `backend "metal"`, for example.
Error no_constants(std::string_view who);

/// The refusal of a backend that has no `standalone`: of `backend "hip"`, for example.
Error cannot_export(std::string_view who);

}  // namespace kmux
