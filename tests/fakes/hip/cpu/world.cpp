#include "cpu/world.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "cpu/captures.h"

namespace kmux::fake_hip {

// The major number is followed by two digits: 9 in gfx90a, 11 in gfx1100.
int wavefront_of(const std::string& arch) {
  const std::string name = arch.substr(0, arch.find(':'));
  return name.size() == std::string_view("gfx90a").size() ? 64 : 32;
}

Device default_device() {
  Device device;
  if (const char* const arch = std::getenv("KMUX_FAKE_HIP_ARCH")) device.arch = arch;
  return device;
}

World& world() {
  static World& the = *new World;
  return the;
}

int& current_device() {
  static thread_local int device = 0;
  return device;
}

int& last_error() {
  static thread_local int code = kHipSuccess;
  return code;
}

void ReturnCode::note(int code) {
  if (code != kHipSuccess && code != kNotReady) last_error() = code;
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

namespace {

bool lies_in(const std::map<std::uintptr_t, std::size_t>& memory, std::uintptr_t at, std::size_t bytes) {
  auto found = memory.upper_bound(at);
  if (found == memory.begin()) return false;
  --found;
  return at - found->first <= found->second && found->second - (at - found->first) >= bytes;
}

}  // namespace

bool is_device_memory(const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(world().mutex);
  return lies_in(world().memory, at, bytes) || lies_in(world().variables, at, bytes);
}

void note_misuse(const std::string& what) {
  const std::lock_guard lock(world().mutex);
  world().misuses.push_back(what);
}

namespace {

class TheControl final : public Control {
 public:
  void reset() override {
    set_devices({default_device()});
    const std::lock_guard lock(world().mutex);
    world().calls.clear();
    world().faults.clear();
    world().failed.clear();
    world().captures.clear();
    world().misuses.clear();
    world().recording = true;
    fake_hip::last_error() = kHipSuccess;
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
  void on_launch(std::function<void(void* const*)>) override {}
  Live live() override {
    const std::lock_guard lock(world().mutex);
    return {world().modules.size(), world().streams.size(), world().events.size(), world().memory.size(),
            world().made_graphs.size() + world().executables.size()};
  }
  int begin_capture(void* stream, CaptureMode mode) override {
    return fake_hip::begin_capture(static_cast<hipStream_t>(stream), static_cast<int>(mode));
  }
  int end_capture(void* stream, void** graph) override {
    std::shared_ptr<Capture> made;
    const int code = fake_hip::end_capture(static_cast<hipStream_t>(stream), made);
    const std::lock_guard lock(world().mutex);
    *graph = made.get();
    if (made != nullptr) world().graphs[made.get()] = made;
    return code;
  }
  int launch_graph(void* graph) override {
    std::shared_ptr<Capture> found;
    {
      const std::lock_guard lock(world().mutex);
      found = world().graphs.at(graph);
    }
    for (const auto& node : found->nodes) {
      if (const int code = node()) return code;
    }
    return kHipSuccess;
  }
  void destroy_graph(void* graph) override {
    const std::lock_guard lock(world().mutex);
    for (void* const memory : world().graphs.at(graph)->memory) {
      if (world().memory.erase(reinterpret_cast<std::uintptr_t>(memory)) > 0) std::free(memory);
    }
    world().graphs.erase(graph);
  }
  int last_error() override { return fake_hip::last_error(); }
  std::vector<std::string> misuses() override {
    const std::lock_guard lock(world().mutex);
    return world().misuses;
  }
};

}  // namespace

// Not among the calls that are recorded and can fail.
extern "C" __attribute__((visibility("default"))) int hipGetLastError() {
  return std::exchange(last_error(), static_cast<int>(kHipSuccess));
}

extern "C" __attribute__((visibility("default"))) Control* kmux_fake_hip_control() {
  static TheControl* const control = new TheControl;
  return control;
}

}  // namespace kmux::fake_hip
