#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "kmux/plugin/capture_watch.h"
#include "kmux/plugin/driver.h"
#include "kmux/plugin/profiler_ranges.h"
#include "kmux/plugin/unload_report.h"

#include "launch/device_code.h"
#include "launch/hip_error.h"
#include "launch/replay.h"

namespace kmux::hip {

/// Launches or fills on `device`, which must be current. Returns 0 or an ErrorCode after writing to `error`.
inline int launch_now(const DeviceCode& device, const kmux_driver_launch& launch, void* stream, kmux_sink error) {
  if (__builtin_expect(!device.allows(launch), 0)) return device.launch_special(launch, stream, error);
  const int result = device.launch(launch, stream);
  return __builtin_expect(result == kHipSuccess, 1)
             ? KMUX_OK
             : device.fail_launch("hipModuleLaunchKernel", launch, result, error);
}
int fill_now(const DeviceCode& device, const kmux_driver_fill& fill, void* stream, kmux_sink error);

/// One call in progress with ranges or a replay: the implementation behind the `kmux_driver` of its env.
class Call {
 public:
  Call(const DeviceCode& device, const ProfilerRanges* ranges, const kmux_launch_env& env)
      : device_(device), ranges_(ranges), env_{env, &kDriver, this} {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Replays the launches of this call as a graph, if possible.
  void begin_replay(Replay& replay);

  const kmux_driver_env& env() const { return env_; }

  /// Ends the call. `code` must be the result of the body. Returns `code`, or the error of a replay.
  int finish(int code, kmux_sink error) { return replay_ == nullptr ? code : replay_->close(code, error); }

 private:
  static int launch(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error);
  static int fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error);
  static const kmux_driver kDriver;

  const DeviceCode& device_;
  const ProfilerRanges* ranges_;
  Replay* replay_ = nullptr;  // null: launches are plain
  kmux_driver_env env_;
};

/// Runs bodies: loads the code on every used device, makes that device current and launches. Bodies call it through the
/// `kmux_driver` in the env that `call` passes to them.
///
/// Threads: `prepare` and `call` are thread-safe; the destructor must follow them.   Lifetime: code and facts must
///          outlive the object.
class Launcher {
 public:
  /// Opens and loads nothing: the first `prepare` or `call` opens HIP (in `places`) and loads the code. Logs to `log` a
  /// line for each part that stays loaded at the end. Tests pass a `hip`.
  Launcher(const void* code, const PlanFacts& facts, HipPlaces places, Log log, const HipTable* hip = nullptr)
      : code_(code), facts_(facts), places_(std::move(places)), log_(log), hip_(hip) {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  /// Waits for the devices and unloads the code, without affecting captures in progress. Keeps the code loaded and logs
  /// that if a capture has recorded a call, if HIP reports that a capture forbids unloading, or if a device no longer
  /// exists.
  ~Launcher();

  /// Does the one-time setup of a first call on `device`. Returns 0 or an ErrorCode after writing to `error`.
  int prepare(int device, kmux_sink error) { return find(device) == nullptr ? make(device, nullptr, error) : KMUX_OK; }

  /// Writes the address and the bytes of variable `symbol` of the code on `device`, which it prepares. Returns 0 or an
  /// ErrorCode.
  int find_variable(int device, const char* symbol, void** address, uint64_t* bytes, kmux_sink error);

  /// Runs `body(const kmux_driver_env&, kmux_sink) -> int` with env.device current, and restores the previous device.
  /// The first call on a device prepares it; inside a capture it returns launch_failed with advice instead.
  template <class Body>
  int call(const kmux_launch_env& env, kmux_sink error, Body&& body) {
    const DeviceCode* device = find(env.device);
    if (__builtin_expect(device == nullptr, 0)) {
      if (const int code = make(env.device, &env, error)) return code;
      device = find(env.device);
    }
    DeviceScope scope(device->hip());
    if (const int code = scope.enter(env.device, error)) return code;
    const bool captured = is_captured(device->hip(), env.stream);
    if (__builtin_expect(ranges_ != nullptr || facts_.replay, 0)) {
      return scope.leave(call_recorded(*device, env, error, body, captured), error);
    }
    const kmux_driver_env own = {
        {sizeof env, env.device, env.stream, env.allocator, env.lane, 0}, &kDriver, const_cast<DeviceCode*>(device)};
    return scope.leave(body(own, error), error);
  }

  /// Launches as `call` does with a body of this one launch.
  int launch(const kmux_launch_env& env, const kmux_driver_launch& launch, kmux_sink error) {
    return call(env, error, [&](const kmux_driver_env& own, kmux_sink sink) {
      return __builtin_expect(own.driver == &kDriver, 1) ? launch_on(&own, &launch, sink)
                                                         : own.driver->launch(&own, &launch, sink);
    });
  }

 private:
  static constexpr int kMaxDevices = 64;
  static const kmux_driver kDriver;
  static int launch_on(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
    return launch_now(*static_cast<const DeviceCode*>(env->call), *launch, env->env.stream, error);
  }
  static int fill_on(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error) {
    return fill_now(*static_cast<const DeviceCode*>(env->call), *fill, env->env.stream, error);
  }

  // Runs a call with a Call object, which its launches share.
  template <class Body>
  int call_recorded(const DeviceCode& device, const kmux_launch_env& env, kmux_sink error, Body& body, bool captured) {
    const ProfilerRange range(ranges_, facts_.name);
    const LaneLease<LaneReplay> lane(replays_, env.lane);
    Call call(device, ranges_, env);
    if (facts_.replay) begin_replay(call, lane.get(), captured);
    return call.finish(body(call.env(), error), error);
  }
  void begin_replay(Call& call, LaneReplay* lane, bool captured);

  bool is_captured(const HipTable& hip, void* stream) {
    return CaptureWatch::can_be_captured(stream) && captures_.is_recorded<CaptureCalls>(hip, stream, facts_.replay);
  }

  const DeviceCode* find(int device) const {
    const auto index = static_cast<unsigned>(device);
    return index < kMaxDevices ? devices_[index].load(std::memory_order_acquire) : nullptr;
  }
  int make(int device, const kmux_launch_env* env, kmux_sink error);
  int make_once(int device, const kmux_launch_env* env, kmux_sink error);
  void find_ranges();
  int check_capture(const HipTable& hip, const kmux_launch_env& env, kmux_sink error) const;
  int load(const HipTable& hip, int device, kmux_sink error);
  int prepare_replay(const HipTable& hip, kmux_sink error);
  void report_plain(int device, const char* why);
  void unload(DeviceCode& device, const UnloadReport<CaptureCalls>& report);
  void unload_relaxed(DeviceCode& device, const UnloadReport<CaptureCalls>& report);

  std::atomic<DeviceCode*> devices_[kMaxDevices] = {};
  const void* code_;
  const PlanFacts facts_;
  const HipPlaces places_;
  const Log log_;
  const HipTable* const hip_;  // null: opened in `places_`
  const ProfilerRanges* ranges_ = nullptr;  // set before the first device is created
  bool has_looked_for_ranges_ = false;
  CaptureWatch captures_;
  std::atomic<bool> plain_reported_{false};
  LaneReplays replays_;
  std::mutex making_;
};

}  // namespace kmux::hip
