#include "control.h"

#include <algorithm>
#include <bit>

#include "call.h"
#include "work.h"

namespace kmux::fake_cuda {
namespace {

// Calls `change` with the world locked.
template <class Change>
auto locked(Change change) {
  const std::lock_guard lock(world().mutex);
  struct Watch {
    ~Watch() { watch(); }
  } const after;
  return change(world());
}

// Lays parameters out as a compiler does: numbers aligned to their size, tensor maps to 64 bytes.
std::vector<Parameter> parameters_from(const std::vector<std::size_t>& sizes) {
  std::vector<Parameter> parameters;
  std::size_t end = 0;
  for (const std::size_t size : sizes) {
    const std::size_t alignment = std::clamp<std::size_t>(std::bit_floor(size), 1, size == 128 ? 64 : 8);
    const std::size_t offset = (end + alignment - 1) / alignment * alignment;
    parameters.push_back({offset, size});
    end = offset + size;
  }
  return parameters;
}

class TheControl final : public Control {
 public:
  void reset() override {
    locked([](World& w) {
      w.seed = seed_from_environment();
      w.restart({Device{}});
      w.reports_misuse = w.timeline != nullptr;
      w.driver_version = 13000;
      w.parameters.clear(), w.static_shared.clear(), w.most_threads.clear(), w.hidden.clear();
      w.run = nullptr;
      w.misuse.clear();
      record() = Record{};
      launch_work = nullptr;
    });
  }
  void set_devices(std::vector<Device> devices) override {
    locked([&](World& w) { w.restart(std::move(devices)); });
  }
  void set_driver_version(int version) override {
    locked([&](World& w) { w.driver_version = version; });
  }
  void set_recording(bool on) override {
    locked([&](World&) { record().on = on; });
  }
  void set_launch_work(void (*work)()) override {
    locked([&](World&) { launch_work = work; });
  }
  std::vector<std::string> calls() override {
    return locked([](World&) { return record().lines; });
  }
  void clear_calls() override {
    locked([](World&) { record().lines.clear(); });
  }
  void fail(std::string symbol, CUresult code, unsigned nth) override {
    locked([&](World&) { record().faults.push_back({std::move(symbol), code, nth}); });
  }
  void fail_any(CUresult code, unsigned nth) override { fail("", code, nth); }
  std::string failed() override {
    return locked([](World&) { return record().failed; });
  }
  void poison(CUresult code) override {
    locked([&](World& w) { w.poison = code; });
  }
  Live live() override {
    return locked([](World& w) {
      Live live{0, w.libraries.size(), w.streams.size(), w.events.size(), 0, w.graphs.size(), w.executables.size()};
      for (const World::OnDevice& device : w.on_device) live.contexts += device.retains;
      for (const auto& [address, allocation] : w.memory) live.allocations += allocation.adopted ? 0 : 1;
      return live;
    });
  }
  std::string misuse() override {
    return locked([](World& w) { return w.misuse; });
  }
  void set_parameters(std::string kernel, std::vector<std::size_t> sizes) override {
    locked([&](World& w) { w.parameters[std::move(kernel)] = parameters_from(sizes); });
  }
  void set_most_threads(std::string kernel, int threads) override {
    locked([&](World& w) { w.most_threads[std::move(kernel)] = threads; });
  }
  void set_static_shared(std::string kernel, int bytes) override {
    locked([&](World& w) { w.static_shared[std::move(kernel)] = bytes; });
  }
  void hide_kernel(std::string kernel) override {
    locked([&](World& w) { w.hidden.insert(std::move(kernel)); });
  }
  void on_launch(Run run) override {
    locked([&](World& w) { w.run = run ? std::make_shared<const Run>(std::move(run)) : nullptr; });
  }
  void set_capture(CUstream stream, CUstreamCaptureStatus status) override {
    locked([&](World& w) {
      const CUstream key = stream_key(stream);
      if (status == CU_STREAM_CAPTURE_STATUS_NONE) return w.captures.end(key);
      Capture* capture = w.captures.find(key);
      if (capture == nullptr) capture = &w.captures.begin(key, CU_STREAM_CAPTURE_MODE_GLOBAL, 0, nullptr);
      capture->status = status;
    });
  }
  void adopt(void* address, std::size_t bytes, int device) override {
    locked([&](World& w) { w.memory[reinterpret_cast<std::uintptr_t>(address)] = {bytes, device, true}; });
  }
  void set_deferred(std::uint64_t seed) override {
    finish();
    locked([&](World& w) { w.set_timeline(seed); });
  }
  void set_eager() override {
    finish();
    locked([](World& w) { w.set_timeline(std::nullopt); });
  }
  void finish() override { finish_everything(); }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Control* kmux_fake_cuda_control() {
  static TheControl* const control = new TheControl;
  return control;
}

}  // namespace kmux::fake_cuda
