#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

/// The interface by which tests configure and inspect the HIP on the CPU or over the fake CUDA driver. Both are built
/// together, so C++ types may cross it.
namespace kmux::fake_hip {

/// A device as HIP describes it. The default is similar to half an MI250, with less memory; kernels run with the
/// wavefront size of the architecture.
struct Device {
  std::string name = "Fake MI250";
  std::string arch = "gfx90a:sramecc+:xnack-";
  std::size_t memory_bytes = std::size_t{1} << 30;
  int shared_bytes = 65536;  // 0: not reported by the device
  int l2_bytes = 8 << 20;
  int memory_pools = 1;
};

/// hipStreamCaptureMode.
enum class CaptureMode { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

/// Objects that were created and not released.
struct Live {
  std::size_t modules = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t allocations = 0;
  std::size_t graphs = 0;  // and executables of them; excludes those of captures
  bool operator==(const Live&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Live& live) {
    return out << live.modules << " modules, " << live.streams << " streams, " << live.events << " events, "
               << live.allocations << " allocations, " << live.graphs << " graphs";
  }
};

/// The object behind the symbol `kmux_fake_hip_control`.
///
/// Errors: over CUDA, `set_devices`, `calls`, `fail` and `failed` throw std::logic_error, since the driver owns
/// devices, calls and error codes there.
class Control {
 public:
  /// Restores the initial state: one default device (of architecture KMUX_FAKE_HIP_ARCH, if that is set), no calls, no
  /// settings, recording on. Live objects stay.
  virtual void reset() = 0;
  virtual void set_devices(std::vector<Device> devices) = 0;
  /// Turns recording on or off. Off: a launch does nothing.
  virtual void set_recording(bool on) = 0;
  /// Returns the symbols called since `clear_calls`, in order.
  virtual std::vector<std::string> calls() = 0;
  virtual void clear_calls() = 0;
  /// Makes the `nth` call of `symbol` from now on fail with `code`, once. An empty symbol matches any. A call that
  /// releases an object still releases it.
  virtual void fail(std::string symbol, int code, unsigned nth) = 0;
  /// Returns the symbol that `fail` made fail last; empty if none was reached yet.
  virtual std::string failed() = 0;
  /// Sets the function of a launch, which gets the addresses of its arguments, on devices that run no code. Devices of
  /// the CPU run code.
  virtual void on_launch(std::function<void(void* const* args)> run) = 0;
  virtual Live live() = 0;
  /// Calls hipStreamBeginCapture on this thread.
  virtual int begin_capture(void* stream, CaptureMode mode) = 0;
  /// Calls hipStreamEndCapture; `graph` is null with an error.
  virtual int end_capture(void* stream, void** graph) = 0;
  /// Runs a captured graph. Returns the code of the first node that fails.
  virtual int launch_graph(void* graph) = 0;
  virtual void destroy_graph(void* graph) = 0;
  /// Returns the result of hipGetLastError on this thread; always 0 over CUDA, whose driver has no last error.
  virtual int last_error() = 0;
  /// Returns the operations that are invalid on a device, such as running unloaded code.
  virtual std::vector<std::string> misuses() = 0;

 protected:
  ~Control() = default;
};

}  // namespace kmux::fake_hip
