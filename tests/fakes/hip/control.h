#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

/// What tests say to the HIP on the CPU or over the fake CUDA driver, and read of it. Both are built together, so C++ may cross.
namespace kmux::fake_hip {

/// A device as HIP describes it. By default one like half an MI250, but with less memory; kernels run with as many threads
/// together as the architecture has.
struct Device {
  std::string name = "Fake MI250";
  std::string arch = "gfx90a:sramecc+:xnack-";
  std::size_t memory_bytes = std::size_t{1} << 30;
  int shared_bytes = 65536;  // 0: the device does not say
  int l2_bytes = 8 << 20;
  int memory_pools = 1;
};

/// hipStreamCaptureMode.
enum class CaptureMode { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

/// What was made and not released.
struct Live {
  std::size_t modules = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t allocations = 0;
  std::size_t graphs = 0;  // and executables of them; not those of captures
  bool operator==(const Live&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Live& live) {
    return out << live.modules << " modules, " << live.streams << " streams, " << live.events << " events, "
               << live.allocations << " allocations, " << live.graphs << " graphs";
  }
};

/// The one object behind the symbol `kmux_fake_hip_control`.
///
/// Errors: over CUDA, `set_devices`, `calls`, `fail` and `failed` throw std::logic_error, since devices, calls and numbers of
/// errors are the driver's there.
class Control {
 public:
  /// Back to the beginning: one default device (of architecture KMUX_FAKE_HIP_ARCH, if that is set), no calls, nothing told; recording is on. What is live stays.
  virtual void reset() = 0;
  virtual void set_devices(std::vector<Device> devices) = 0;
  /// Off: nothing is written down, and a launch does nothing.
  virtual void set_recording(bool on) = 0;
  /// The symbols that were called since `clear_calls`, in order.
  virtual std::vector<std::string> calls() = 0;
  virtual void clear_calls() = 0;
  /// The `nth` call of `symbol` from now on fails with `code`, once. An empty symbol is any. A call that releases something
  /// releases it all the same.
  virtual void fail(std::string symbol, int code, unsigned nth) = 0;
  /// The symbol that `fail` made fail last; empty if none was reached yet.
  virtual std::string failed() = 0;
  /// What a launch does, given the addresses of its arguments, on devices that run no code. Those of the CPU run it.
  virtual void on_launch(std::function<void(void* const* args)> run) = 0;
  virtual Live live() = 0;
  /// hipStreamBeginCapture by this thread.
  virtual int begin_capture(void* stream, CaptureMode mode) = 0;
  /// hipStreamEndCapture; `graph` is null with an error.
  virtual int end_capture(void* stream, void** graph) = 0;
  /// Runs what was captured. The code of the first node that fails.
  virtual int launch_graph(void* graph) = 0;
  virtual void destroy_graph(void* graph) = 0;
  /// What hipGetLastError would return on this thread; always 0 over CUDA, whose driver has no last error.
  virtual int last_error() = 0;
  /// What was done that a device would not forgive, such as running code that was unloaded.
  virtual std::vector<std::string> misuses() = 0;

 protected:
  ~Control() = default;
};

}  // namespace kmux::fake_hip
