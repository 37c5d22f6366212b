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

/// A stream as a call takes it: the backend's own handle, null for the default stream.
///
/// Lifetime: borrowed for the call. `owner`, of a `Stream`, is what memory that is allocated in its order holds on to; a
/// stream without one (another library made it) has to outlive such memory.
struct StreamRef {
  void* handle = nullptr;  // the driver's; null: the default stream
  const Shared<void>* owner = nullptr;  // what keeps the stream alive, or null
};

/// A place where tensors live and kernels run: the host, or a device of a plugin.
///
/// Threads: any.   Lifetime: a cheap handle that holds its plugin.
class KMUX_API Device {
 public:
  /// The host's memory.
  Device() = default;
  /// The device of that number of a plugin.
  Device(Shared<Plugin> plugin, int ordinal);
  /// The device of a tensor that came from outside: it can be compared and passed on, not copied from.
  static Device foreign(DLDevice dl);

  /// As DLPack names it.
  DLDevice dl() const { return dl_; }
  /// Its number among the plugin's devices.
  int ordinal() const { return dl_.device_id; }
  /// Is it the host?
  bool is_host() const { return dl_.device_type == kDLCPU; }
  /// The plugin's name, or "host".
  std::string backend() const;
  /// The plugin; null for the host and for a foreign device.
  const Shared<Plugin>& plugin() const { return plugin_; }
  /// "host" or "BACKEND:0".
  std::string to_string() const;
  /// Its name as the backend has it, for example "NVIDIA H200"; the backend's where it cannot be asked.
  std::string name() const;
  /// Its architecture, for example "sm_90a", or "-".
  std::string arch() const;
  /// An object with "name", "arch" and what else the backend has. Include kmux/json.h to read it.
  Result<Json> properties() const;
  /// Waits for everything on the default stream.
  Status synchronize() const;

  friend bool operator==(const Device& a, const Device& b) {
    return a.dl_.device_type == b.dl_.device_type && a.dl_.device_id == b.dl_.device_id;
  }

 private:
  Shared<Plugin> plugin_;
  DLDevice dl_{kDLCPU, 0};
};

class Event;

/// An ordered queue of work on a device. Work on two streams, or on one and the default stream, is in no order unless an
/// event puts it in one (docs/memory.md).
///
/// Lifetime: owns the backend's stream unless borrowed; the last copy destroys it.
class KMUX_API Stream {
 public:
  /// The default stream of whatever device it is used on.
  Stream() = default;
  /// A new stream of `device`. Work of a lower `priority` goes first where the device has to choose, as drivers and PyTorch count;
  /// the device's own limit stands for what is beyond it.
  ///
  /// Errors: invalid_argument for a device without a backend; unsupported for a priority where the backend has none.
  static Result<Stream> create(const Device& device, int priority = 0);
  /// Wraps a stream that the application owns.
  static Stream borrow(const Device& device, void* handle);

  /// The backend's own handle; null for the default stream.
  void* handle() const { return handle_.get(); }
  /// For a call.
  operator StreamRef() const { return {handle_.get(), &handle_}; }
  /// The device that it was made for.
  const Device& device() const { return device_; }
  /// Waits for all that is in it.
  Status synchronize() const;
  /// What comes after it in this stream waits, on the device, for what `event` was recorded behind.
  Status wait(const Event& event) const;

 private:
  Stream(Device device, Shared<void> handle) : device_(std::move(device)), handle_(std::move(handle)) {}
  Device device_;
  Shared<void> handle_;
};

/// A point in a stream.
class KMUX_API Event {
 public:
  /// A new event of `device`.
  static Result<Event> create(const Device& device);
  /// Records the point that `stream` has reached.
  Status record(StreamRef stream) const;
  /// Waits on the host for what it was recorded behind.
  ///
  /// Errors: invalid_argument if it was never recorded; those of the work, as the backend reports them.
  Status synchronize() const;
  /// Units: milliseconds from `begin` to this event; waits for both.
  Result<double> elapsed_since(const Event& begin) const;

 private:
  friend class Stream;
  Event(Device device, Shared<void> handle) : device_(std::move(device)), handle_(std::move(handle)) {}
  Device device_;
  Shared<void> handle_;
};

/// The error of a thing ("n event") that only a backend can make.
Error needs_a_backend(std::string_view what, const Device& device);

/// All devices of all plugins that can run here, the host first.
KMUX_API Result<std::vector<Device>> devices(Runtime& runtime);
/// Those of the default runtime.
KMUX_API Result<std::vector<Device>> devices();

}  // namespace kmux
