#include "cpu/world.h"

#include <algorithm>

namespace kmux::fake_hip {

World& world() {
  static World& the = *new World;
  return the;
}

int& current_device() {
  static thread_local int device = 0;
  return device;
}

int& capture_mode() {
  static thread_local int mode = kCaptureModeGlobal;
  return mode;
}

int begin(const char* symbol) {
  World& w = world();
  if (!w.recording.load(std::memory_order_relaxed)) return kHipSuccess;
  const std::lock_guard lock(w.mutex);
  w.calls.emplace_back(symbol);
  for (auto fault = w.faults.begin(); fault != w.faults.end(); ++fault) {
    if (!fault->symbol.empty() && fault->symbol != symbol) continue;
    if (--fault->nth > 0) continue;
    const int code = fault->code;
    w.faults.erase(fault);
    w.failed = symbol;
    return code;
  }
  return kHipSuccess;
}

bool is_device_memory(const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(world().mutex);
  auto found = world().memory.upper_bound(at);
  if (found == world().memory.begin()) return false;
  --found;
  return at - found->first <= found->second && found->second - (at - found->first) >= bytes;
}

int check_stream(hipStream_t stream) {
  if (stream == nullptr) return kHipSuccess;
  const std::lock_guard lock(world().mutex);
  const auto found = world().streams.find(stream);
  return found != world().streams.end() && found->second == current_device() ? kHipSuccess : kInvalidHandle;
}

namespace {

class TheControl final : public Control {
 public:
  void reset() override {
    set_devices({Device{}});
    const std::lock_guard lock(world().mutex);
    world().calls.clear();
    world().faults.clear();
    world().failed.clear();
    world().capturing = false;
    world().recording = true;
  }
  void set_devices(std::vector<Device> devices) override {
    const std::lock_guard lock(world().mutex);
    world().devices = std::move(devices);
  }
  void set_recording(bool on) override { world().recording = on; }
  std::vector<std::string> calls() override {
    const std::lock_guard lock(world().mutex);
    return world().calls;
  }
  void clear_calls() override {
    const std::lock_guard lock(world().mutex);
    world().calls.clear();
  }
  void fail(std::string symbol, int code, unsigned nth) override {
    const std::lock_guard lock(world().mutex);
    world().faults.push_back({std::move(symbol), code, nth});
  }
  std::string failed() override {
    const std::lock_guard lock(world().mutex);
    return world().failed;
  }
  Live live() override {
    const std::lock_guard lock(world().mutex);
    return {world().modules.size(), world().streams.size(), world().events.size(), world().memory.size()};
  }
  void set_capturing(bool on) override {
    const std::lock_guard lock(world().mutex);
    world().capturing = on;
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Control* kmux_fake_hip_control() {
  static TheControl* const control = new TheControl;
  return control;
}

}  // namespace kmux::fake_hip
