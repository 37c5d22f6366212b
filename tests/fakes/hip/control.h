#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

/// What tests say to the HIP on the CPU and read of it. Both are built together, so C++ may cross.
namespace kmux::fake_hip {

/// A device as HIP describes it. By default one like half an MI250, but with less memory.
struct Device {
  std::string name = "Fake MI250";
  std::string arch = "gfx90a:sramecc+:xnack-";
  std::size_t memory_bytes = std::size_t{1} << 30;
  int shared_bytes = 65536;  // 0: the device does not say
  int l2_bytes = 8 << 20;
  int memory_pools = 1;
};

/// What was made and not released.
struct Live {
  std::size_t modules = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t allocations = 0;
  bool operator==(const Live&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Live& live) {
    return out << live.modules << " modules, " << live.streams << " streams, " << live.events << " events, "
               << live.allocations << " allocations";
  }
};

/// The one object behind the symbol `kmux_fake_hip_control`.
class Control {
 public:
  /// Back to the beginning: one default device, no calls, nothing told; recording is on. What is live stays.
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
  virtual Live live() = 0;
  /// Is a capture in progress on every stream but the null stream?
  virtual void set_capturing(bool on) = 0;

 protected:
  ~Control() = default;
};

}  // namespace kmux::fake_hip
