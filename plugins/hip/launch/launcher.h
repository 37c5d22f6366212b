#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "kmux/driver.h"

#include "launch/device_code.h"
#include "launch/device_scope.h"

namespace kmux::hip {

/// Runs bodies: loads the code on every device that it is called for, makes that device current and launches. Bodies
/// reach it through the `kmux_driver` in the env that `call` gives them.
///
/// Threads: `prepare` and `call` any, concurrently; the destructor comes after them.   Lifetime: borrows code and facts.
class Launcher {
 public:
  /// Does nothing yet: the first `prepare` or `call` opens HIP (`library`, or as `open_hip` finds it) and loads the code.
  /// What cannot be unloaded at the end is written to `log`, a line each; a log without `write` drops it.
  Launcher(const void* code, const PlanFacts& facts, std::string library, kmux_sink log)
      : code_(code), facts_(facts), library_(std::move(library)), log_(log) {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  /// Waits for the devices and unloads. Where a capture is in the way or a device is gone, it leaks and logs that.
  ~Launcher();

  /// Does what a first call on `device` would do once. Returns 0 or an ErrorCode after writing to `error`.
  int prepare(int device, kmux_sink error) { return find(device) == nullptr ? make(device, nullptr, error) : KMUX_OK; }

  /// Runs `body(const kmux_driver_env&, kmux_sink) -> int` with env.device current; the one before is so afterwards. The
  /// first call on a device prepares it, but not inside a capture: then launch_failed with advice.
  template <class Body>
  int call(const kmux_launch_env& env, kmux_sink error, Body&& body) {
    const DeviceCode* device = find(env.device);
    if (__builtin_expect(device == nullptr, 0)) {
      if (const int code = make(env.device, &env, error)) return code;
      device = find(env.device);
    }
    DeviceScope scope(device->hip());
    if (const int code = scope.enter(env.device, error)) return code;
    const kmux_driver_env own = {
        {sizeof env, env.device, env.stream, env.allocator, env.lane, 0}, &kDriver, const_cast<DeviceCode*>(device)};
    return scope.leave(body(own, error), error);
  }

  /// As `call` with a body that is this launch.
  int launch(const kmux_launch_env& env, const kmux_driver_launch& launch, kmux_sink error) {
    return call(env, error, [&](const kmux_driver_env& own, kmux_sink sink) { return launch_on(&own, &launch, sink); });
  }

 private:
  static constexpr int kMaxDevices = 64;
  static const kmux_driver kDriver;
  static int launch_on(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
    const auto& device = *static_cast<const DeviceCode*>(env->call);
    if (__builtin_expect(!device.allows(*launch), 0)) {
      return device.launch_special(*launch, env->env.stream, error);
    }
    const int result = device.launch(*launch, env->env.stream);
    return __builtin_expect(result == kHipSuccess, 1)
               ? KMUX_OK
               : device.fail_launch("hipModuleLaunchKernel", *launch, result, error);
  }
  static int fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error);

  const DeviceCode* find(int device) const {
    const auto index = static_cast<unsigned>(device);
    return index < kMaxDevices ? devices_[index].load(std::memory_order_acquire) : nullptr;
  }
  int make(int device, const kmux_launch_env* env, kmux_sink error);
  int make_once(int device, const kmux_launch_env* env, kmux_sink error);
  int check_capture(const HipTable& hip, const kmux_launch_env& env, kmux_sink error) const;
  int load(const HipTable& hip, int device, kmux_sink error);
  void unload(DeviceCode& device) const;
  void note(const HipTable& hip, const char* call, int result, const char* outcome) const;
  void note(const std::string& failure, const char* outcome) const;

  std::atomic<DeviceCode*> devices_[kMaxDevices] = {};
  const void* code_;
  const PlanFacts facts_;
  const std::string library_;
  const kmux_sink log_;
  std::mutex making_;
};

}  // namespace kmux::hip
