#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kmux/dlpack.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/shared.h"

namespace kmux {

class Json;
class Plugin;
class Runtime;

/// A stream parameter: the backend's native handle, null for the default stream.
///
/// Lifetime: borrowed for the call. Memory allocated in the order of this stream shares `owner`, set by `Stream`. A
/// stream without an owner (another library created it) must outlive such memory.
struct StreamRef {
  void* handle = nullptr;  // native handle; null: the default stream
  const Shared<void>* owner = nullptr;  // keeps the stream alive; may be null
};

/// A place for tensors and kernels: the host, or a device of a plugin.
///
/// Threads: any.   Lifetime: a cheap handle that shares ownership of its plugin.
class KMUX_API Device {
 public:
  /// The host.
  Device() = default;
  /// Device number `ordinal` of `plugin`.
  Device(Shared<Plugin> plugin, int ordinal);
  /// Returns the device of a tensor from another library. It can be compared and passed on, but kmux cannot copy from
  /// it.
  static Device foreign(DLDevice dl);

  /// Returns the DLPack form.
  DLDevice dl() const { return dl_; }
  /// Returns its number among the plugin's devices.
  int ordinal() const { return dl_.device_id; }
  /// Returns true if the device is the host.
  bool is_host() const { return dl_.device_type == kDLCPU; }
  /// Returns the plugin's name, or "host".
  std::string backend() const;
  /// Returns the plugin; null for the host and for a foreign device.
  const Shared<Plugin>& plugin() const { return plugin_; }
  /// Returns "host" or, for example, "BACKEND:0".
  std::string to_string() const;
  /// Returns the name that the backend reports, for example "NVIDIA H200", or the backend's name if it reports none.
  std::string name() const;
  /// Returns its architecture, for example "sm_90a", or "-".
  std::string arch() const;
  /// Returns the bytes of its memory, or 0 if the backend reports none.
  std::int64_t memory_bytes() const;
  /// Returns an object with "name", "arch" and further properties that the backend reports. Callers must include
  /// kmux/json.h to read it.
  Result<Json> properties() const;
  /// Blocks until all work on the default stream has completed.
  Status synchronize() const;

  friend bool operator==(const Device& a, const Device& b) {
    return a.dl_.device_type == b.dl_.device_type && a.dl_.device_id == b.dl_.device_id;
  }

 private:
  Shared<Plugin> plugin_;
  DLDevice dl_{kDLCPU, 0};
};

class Event;

/// An ordered queue of work on a device. Work on two streams, or on a stream and the default stream, is unordered
/// unless an event orders it (docs/memory.md).
///
/// Lifetime: owns the backend's stream unless borrowed; destroying the last copy destroys it.
class KMUX_API Stream {
 public:
  /// The default stream of any device.
  Stream() = default;
  /// Creates a stream on `device`. Lower `priority` values are scheduled first, the convention of drivers and PyTorch.
  /// Values beyond the device's limits are clamped.
  ///
  /// Errors: invalid_argument for a device without a backend; unsupported for a priority if the backend has no
  /// priorities.
  static Result<Stream> create(const Device& device, int priority = 0);
  /// Wraps a stream that the caller owns; it must outlive this object.
  static Stream borrow(const Device& device, void* handle);

  /// Returns the backend's native handle; null for the default stream.
  void* handle() const { return handle_.get(); }
  /// Converts to a call argument.
  operator StreamRef() const { return {handle_.get(), &handle_}; }
  /// Returns the device of this stream.
  const Device& device() const { return device_; }
  /// Blocks until all work in this stream has completed.
  Status synchronize() const;
  /// Makes later work in this stream wait, on the device, for the work that `event` marks. Returns immediately.
  Status wait(const Event& event) const;

 private:
  Stream(Device device, Shared<void> handle) : device_(std::move(device)), handle_(std::move(handle)) {}
  Device device_;
  Shared<void> handle_;
};

/// A point in a stream.
class KMUX_API Event {
 public:
  /// Creates an event on `device`.
  static Result<Event> create(const Device& device);
  /// Records the current end of `stream`.
  Status record(StreamRef stream) const;
  /// Blocks the host until the work before the recorded point has completed.
  ///
  /// Errors: invalid_argument if it was never recorded; those of the work, as the backend reports them.
  Status synchronize() const;
  /// Returns the time from `begin` to this event. Blocks until both have completed.
  ///
  /// Units: milliseconds.
  Result<double> elapsed_since(const Event& begin) const;

 private:
  friend class Stream;
  Event(Device device, Shared<void> handle) : device_(std::move(device)), handle_(std::move(handle)) {}
  Device device_;
  Shared<void> handle_;
};

/// Returns the error for an object that only a backend can create; `what` follows "a", for example "n event".
Error needs_a_backend(std::string_view what, const Device& device);

/// Returns all devices of all plugins that can run on this machine, the host first.
KMUX_API Result<std::vector<Device>> devices(Runtime& runtime);
/// Returns the devices of the default runtime.
KMUX_API Result<std::vector<Device>> devices();

}  // namespace kmux
