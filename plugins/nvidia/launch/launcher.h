#pragma once

#include <atomic>

#include "kmux/plugin/capture_watch.h"
#include "kmux/plugin/driver.h"
#include "kmux/plugin/unload_report.h"

#include "nvidia/launch/call.h"
#include "nvidia/launch/device_state.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/kernel_launch.h"
#include "nvidia/launch/launch_state.h"
#include "nvidia/launch/loaded_code.h"

namespace kmux::nvidia {

/// Runs bodies: loads the code, makes contexts current, launches with every feature. Bodies call it through the
/// `kmux_driver` in the env that `call` passes to them.
///
/// Threads: `prepare` and `call` are thread-safe; the destructor must follow them.   Lifetime: code and facts must
///          outlive the object.
class Launcher {
 public:
  /// Opens and loads nothing: the first `prepare` or `call` opens the driver and loads the code. Launchers of several
  /// libraries share the `lines` of one of them. Tests pass a `driver`.
  Launcher(const void* code, const PlanFacts& facts, Log log, const DriverTable* driver = nullptr,
           PersistingLines& lines = own_persisting_lines())
      : only_launches_(facts.only_launches),
        is_free_(!facts.ranges && !facts.replay && !facts.blocking),
        driver_(driver),
        facts_(with_all_kernels(facts)),
        log_(log),
        lines_(lines),
        code_(code, facts_) {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  /// Unloads the code after work in flight. Leaks and logs that if a capture has recorded a call, if the driver reports
  /// that a capture forbids unloading, or if the context no longer exists.
  ~Launcher();

  /// Does the one-time setup of a first call on `device`: library, kernels, shared-memory and cluster attributes, the
  /// limit for persisting lines, launch states. Returns 0 or an ErrorCode after writing to `error`.
  int prepare(int device, kmux_sink error);

  /// Writes the address and the bytes of variable `symbol` of the code on `device`, which it prepares. Returns 0 or an
  /// ErrorCode.
  int find_variable(int device, const char* symbol, void** address, uint64_t* bytes, kmux_sink error);

  /// Runs `body(const kmux_driver_env&, kmux_sink) -> int`, whose driver calls are made in the context of env.device,
  /// and restores the previous context. The first call on a device prepares it; inside a capture it returns
  /// launch_failed with advice instead.
  template <class Body>
  int call(const kmux_launch_env& env, kmux_sink error, Body&& body) {
    const bool elsewhere = is_elsewhere(env);
    if (!only_launches_ || elsewhere || !is_usual(env)) return call_recorded(env, error, body, elsewhere);
    // Copies field by field: a wide load would wait for the caller's preceding narrow stores to its env.
    const kmux_driver_env direct = {{sizeof env, env.device, env.stream, env.allocator, env.lane, 0}, &kDirect, this};
    return body(direct, error);
  }

  /// Launches as `call` does with a body of this one launch, but in fewer steps if neither launch nor call has special
  /// settings. Other paths get the result of `kKept(launch)`.
  template <auto kKept = as_it_is>
  __attribute__((always_inline)) int launch(const kmux_launch_env& env, const kmux_driver_launch& launch,
                                            kmux_sink error) {
    const DeviceState* const device = find(env.device);
    const bool elsewhere = is_elsewhere(env);
    // One branch for all conditions: after a launch, the processor's branch predictions are lost.
    const int is_special =
        int{device == nullptr} | int{elsewhere} | int{!is_usual(env)} | int{LaunchAttributes::are_asked_by(launch)};
    if (__builtin_expect(is_special != 0 || !device->allows(launch), 0)) {
      return launch_special(env, kKept(launch), elsewhere, error);
    }
    CUlaunchConfig config;
    configure(launch, static_cast<CUstream>(env.stream), &config);
    const CUresult result = device->launch(config, launch.kernel, launch.args);
    if (__builtin_expect(result == CUDA_SUCCESS, 1)) return KMUX_OK;
    return says_elsewhere(result) ? launch_special(env, kKept(launch), true, error)
                                  : fail_launch(*device, kKept(launch), result, error);
  }

  /// Returns the states of its calls. A caller may lease one to pass its kept maps to `launch`.
  LaunchStates& states() { return states_; }

 private:
  static constexpr int kMaxDevices = PersistingLines::kMaxDevices;

  DeviceState* find(int device) const {
    const auto index = static_cast<unsigned>(device);
    return index < kMaxDevices ? devices_[index].load(std::memory_order_acquire) : nullptr;
  }

  // Returns true if a call only launches: it is neither traced, replayed nor blocking, and no capture can record it.
  bool is_usual(const kmux_launch_env& env) const { return (int{is_free_} & int{!can_be_captured(env.stream)}) != 0; }

  // Returns true if the context must be made current first. A stream other than the default one determines its context.
  bool is_elsewhere(const kmux_launch_env& env) const {
    const int is_default = int{!can_be_captured(env.stream)};
    return (int{elsewhere_.load(std::memory_order_relaxed)} & is_default) != 0;
  }

  // Runs a call with a Call object: its launches share the kept state, the entered context and the capture status.
  template <class Body>
  int call_recorded(const kmux_launch_env& env, kmux_sink error, Body&& body, bool enters = false) {
    DeviceState* device = find(env.device);
    if (__builtin_expect(device == nullptr, 0)) {
      if (const int code = prepare(env.device, &env, error)) return code;
      device = find(env.device);
    }
    device->prefetch();
    const ProfilerRange range(ranges_, facts_.name);
    ContextScope context(device->driver(), device->context());
    if (enters || needs_context(static_cast<CUstream>(env.stream))) {
      if (const int code = context.enter(error)) return code;
    }
    const int code = run(*device, context, env, error, body);
    if (context.is_entered()) elsewhere_.store(context.is_changed(), std::memory_order_relaxed);
    return context.leave(code, error);
  }

  // Returns true if the context must be current before the body runs. A launch detects a wrong context itself. The
  // per-thread stream is a different one in each context, and queries of it do not detect that.
  bool needs_context(CUstream stream) const {
    return __builtin_expect(facts_.needs_context || facts_.replay, 0) || reinterpret_cast<uintptr_t>(stream) == 2;
  }

  template <class Body>
  int run(DeviceState& device, ContextScope& context, const kmux_launch_env& env, kmux_sink error, Body& body) {
    const StateLease state(states_, env.lane);
    Call call(device, context, state.get(), ranges_, env);
    const bool captured = is_captured(device.driver(), env.stream);
    if (__builtin_expect(facts_.blocking, 0)) {
      if (!captured) call.block();
    } else if (__builtin_expect(facts_.replay, 0)) {
      begin_replay(device, call, captured, context.is_primary());
    }
    return call.finish(body(call.env(), error), error);
  }

  static void begin_replay(DeviceState& device, Call& call, bool captured, bool primary) {
    if (captured) return device.report_plain("a capture records the call");
    if (!primary) return device.report_plain("another context than the primary one is current");
    call.begin_replay();
  }

  bool is_captured(const DriverTable& driver, void* stream) {
    if (!facts_.replay && !can_be_captured(stream)) return false;
    return captures_.is_recorded<CaptureCalls>(driver, stream, facts_.replay);
  }

  static bool can_be_captured(const void* stream) { return CaptureWatch::can_be_captured(stream); }

  [[gnu::cold, gnu::noinline]] int launch_special(const kmux_launch_env& env, const kmux_driver_launch& launch,
                                                  bool elsewhere, kmux_sink error);
  static const kmux_driver kDirect;  // for calls without a Call object: launches only
  int prepare(int device, const kmux_launch_env* env, kmux_sink error);
  int make_device(int device, const kmux_launch_env* env, kmux_sink error);
  int prepare_device(DeviceState& state, const kmux_launch_env* env, kmux_sink error);
  unsigned replay_steps() const;
  int check_capture(const DeviceState& state, void* stream, kmux_sink error) const;
  void find_ranges();
  int load(DeviceState& state, kmux_sink error);
  int find_functions(DeviceState& state, kmux_sink error);
  void unload();
  void unload_code(const UnloadReport<CaptureCalls>& report);

  // The members that a plain launch reads, next to each other.
  const bool only_launches_;
  const bool is_free_;  // without ranges, replays and blocking
  // True if the last launch had to make the context current. The next one then does so first, since a rejected launch
  // takes the driver longer than two launches.
  std::atomic<bool> elsewhere_{false};
  std::atomic<DeviceState*> devices_[kMaxDevices] = {};

  const DriverTable* driver_;
  const PlanFacts facts_;
  const Log log_;
  PersistingLines& lines_;
  const ProfilerRanges* ranges_ = nullptr;
  CaptureWatch captures_;
  LoadedCode code_;
  bool packs_fit_ = false;  // the arguments of launches were checked against the kernels
  LaunchStates states_;
  Lock lock_;
};

}  // namespace kmux::nvidia
