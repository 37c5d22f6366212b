#pragma once

#include <concepts>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/failure_text.h"

#include "counting_allocator.h"
#include "fake_hip.h"
#include "workbench.h"

namespace kmux::hip {

/// Does the work of `kAddOne`, for devices that run no code.
inline void add_one(void* const* args) {
  float* x = nullptr;
  int n = 0;
  std::memcpy(static_cast<void*>(&x), args[0], sizeof x);
  std::memcpy(&n, args[1], sizeof n);
  for (int i = 0; i < n; ++i) x[i] += 1;
}

/// The backend over a fake HIP, whose hiprtc compiles. All its objects must be released at the end.
///
/// The fake is the HIP on the CPU, or the library named by KMUX_FAKE_HIP_LIBRARY: tests/stream_order runs the cases that only
/// use memory, streams, captures and `kAddOne` over the fake CUDA driver. The others need the CPU's: they run other
/// kernels, read the names of calls, or set up devices and failures.
class OverFake : public testing::Test {
 protected:
  OverFake() {
    host.options["hip.library"] = FakeHip::path();
    host.options["hip.engine"] = "hiprtc";
    fake->on_launch(add_one);
  }
  void SetUp() override {
    if (!FakeHip::compiles()) GTEST_SKIP() << needs(compiler_of("nvrtc"), "HIP over CUDA compiles with it");
  }
  void TearDown() override {
    EXPECT_EQ(fake->live().modules, before_.modules + kept.modules);
    EXPECT_EQ(fake->live().allocations, before_.allocations);
    EXPECT_EQ(fake->live().streams, before_.streams);
    EXPECT_EQ(fake->live().graphs, before_.graphs + kept.graphs);
    EXPECT_EQ(fake->live().events, before_.events);
    EXPECT_EQ(fake->last_error(), kHipSuccess) << "an error that kmux handled is raised again by the next check";
    EXPECT_THAT(fake->misuses(), testing::IsEmpty());
  }

  // Returns an artifact that is compiled once for all cases and seeds.
  Artifact built(const Program& program) {
    static std::map<std::string, Artifact> made;
    std::string key = host.options["hip.engine"] + to_json(program);
    for (const auto& [name, value] : options) key.append(name).append(value);
    if (const auto found = made.find(key); found != made.end()) return found->second;
    const BuildRequest request{program, 0, Target{"hip", "gfx90a", {}}, options};
    return made[key] = backend.builder().build(request, backend.wrapper().wrap(request).value()).value();
  }
  std::unique_ptr<Adapter> loaded(const Program& program) { return backend.load(built(program), 0).value(); }
  std::unique_ptr<Adapter> loaded(const ProgramBuilder& builder) { return loaded(builder.build().value()); }

  Status launch(Adapter& adapter, const std::vector<kmux_slot>& slots, int device = 0, void* stream = nullptr) {
    FailureText failure;
    const kmux_launch_env env = {sizeof env, device, stream, allocator.api(), 0, 0};
    return failure.status(adapter.entry()(slots.data(), env, failure.sink()));
  }

  static kmux_slot slot(void* address) { return kmux_slot{.ptr = address}; }
  static kmux_slot slot(std::integral auto number) { return kmux_slot{.i64 = number}; }

  /// Returns the calls since `clear_calls`, except those about the current device.
  std::vector<std::string> work() const {
    std::vector<std::string> calls = fake->calls();
    for (const char* aside : {"hipGetDevice", "hipThreadExchangeStreamCaptureMode", "hipStreamIsCapturing"})
      std::erase(calls, aside);
    return calls;
  }

  FakeHip fake = FakeHip::load();
  FakeHost host;
  HipBackend backend{host};
  Options options;  // build options
  CountingAllocator allocator;
  fake_hip::Live kept;  // objects that are left on purpose at the end

 private:
  fake_hip::Live before_ = fake->live();
};

/// Owns device memory for a test's vector.
class DeviceVector {
 public:
  DeviceVector(HipBackend& backend, std::size_t count, int device = 0)
      : devices_(backend.devices()),
        count_(count),
        device_(device),
        address_(devices_.allocate(device, nullptr, count * sizeof(float), 0).value()) {
    devices_.memset(device, nullptr, address_, 0, count * sizeof(float)).value();
    devices_.stream_synchronize(device, nullptr).value();  // for any stream
  }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;
  ~DeviceVector() { devices_.free(device_, nullptr, address_); }

  void* address() const { return address_; }
  std::vector<float> values() const {
    std::vector<float> values(count_);
    devices_.copy(device_, nullptr, values.data(), address_, count_ * sizeof(float), KMUX_COPY_DEVICE_TO_HOST).value();
    return values;
  }

 private:
  DeviceApi& devices_;
  std::size_t count_;
  int device_;
  void* address_;
};

}  // namespace kmux::hip
