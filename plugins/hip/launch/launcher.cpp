#include "launch/launcher.h"

#include <exception>
#include <memory>
#include <utility>

#include "launch/hip_error.h"

namespace kmux::hip {
namespace {

// Returns the one table of this library. Returns null if ROCTx is not installed, which the first such call logs. The
// table is never closed.
const ProfilerRanges* open_ranges(const Log& log) {
  static std::mutex mutex;
  static SharedRanges shared(kRoctx);
  const std::lock_guard<std::mutex> lock(mutex);
  return shared.open([&](const char* missing) { report(log, kLogWarning, "%s", missing); });
}

std::string on_device(int device) { return " on device " + std::to_string(device); }

}  // namespace

int fill_now(const DeviceCode& device, const kmux_driver_fill& fill, void* stream, kmux_sink error) {
  if (fill.bytes == 0) return KMUX_OK;
  const int result = device.hip().memset(fill.target, fill.value, fill.bytes, static_cast<hipStream_t>(stream));
  if (result == kHipSuccess) return KMUX_OK;
  return fail_call(device.hip(), error, "hipMemsetAsync", result,
                   std::to_string(fill.bytes) + " bytes" + on_device(device.ordinal()));
}

const kmux_driver Call::kDriver = {&Call::launch, &Call::fill, nullptr, nullptr};

void Call::begin_replay(Replay& replay) {
  if (!replay.open({&device_.hip(), device_.ordinal(), static_cast<hipStream_t>(env_.env.stream)})) return;
  replay_ = &replay;
  env_.env.allocator = replay.allocator(env_.env.allocator);
}

// Checks limits before the launch is kept: in a replay, HIP would report the error without the launch.
int Call::launch(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
  const Call& call = *static_cast<const Call*>(env->call);
  const DeviceCode& device = call.device_;
  const ProfilerRange range(call.ranges_, device.name_of(launch->kernel));
  if (call.replay_ != nullptr && call.replay_->takes(*launch) && device.allows(*launch)) {
    return call.replay_->keep(*launch, {device.function(launch->kernel), &device.step(launch->step)}, error);
  }
  return launch_now(device, *launch, env->env.stream, error);
}

int Call::fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error) {
  const Call& call = *static_cast<const Call*>(env->call);
  if (call.replay_ != nullptr && call.replay_->takes(*fill)) return call.replay_->keep(*fill, error);
  return fill_now(call.device_, *fill, env->env.stream, error);
}

const kmux_driver Launcher::kDriver = {&Launcher::launch_on, &Launcher::fill_on, nullptr, nullptr};

int Launcher::find_variable(int device, const char* symbol, void** address, uint64_t* bytes, kmux_sink error) {
  if (const int code = prepare(device, error)) return code;
  const DeviceCode& made = *find(device);
  DeviceScope scope(made.hip());
  if (const int code = scope.enter(device, error)) return code;
  const int code =
      RelaxedCapture::during(made.hip(), error, [&] { return made.find_variable(symbol, address, bytes, error); });
  return scope.leave(code, error);
}

int Launcher::make(int device, const kmux_launch_env* env, kmux_sink error) {
  try {
    return make_once(device, env, error);
  } catch (const std::exception& failure) {
    return fail(error, KMUX_UNAVAILABLE,
                "the code of \"" + std::string(facts_.name) + "\" cannot be loaded (" + failure.what() +
                    "). Free some memory.");
  }
}

int Launcher::make_once(int device, const kmux_launch_env* env, kmux_sink error) {
  if (device < 0 || device >= kMaxDevices) {
    return fail(error, KMUX_INVALID_ARGUMENT,
                "device " + std::to_string(device) + " is out of range (0 to 63). Pass an ordinal of a device.");
  }
  const std::lock_guard<std::mutex> lock(making_);
  if (find(device) != nullptr) return KMUX_OK;  // another thread made it
  find_ranges();
  const HipTable* const hip = hip_ != nullptr ? hip_ : open_hip(places_, error);
  if (hip == nullptr) return KMUX_UNAVAILABLE;
  DeviceScope scope(*hip);
  if (const int code = scope.enter(device, error)) return code;
  int code = env == nullptr ? KMUX_OK : check_capture(*hip, *env, error);
  if (code == KMUX_OK) code = prepare_replay(*hip, error);
  if (code == KMUX_OK) code = load(*hip, device, error);
  return scope.leave(code, error);
}

int Launcher::prepare_replay(const HipTable& hip, kmux_sink error) {
  if (!facts_.replay) return KMUX_OK;
  if (const char* const missing = missing_graph_call(hip)) {
    return fail(error, KMUX_UNSUPPORTED,
                R"(option "graph" is on for ")" + std::string(facts_.name) +
                    "\" (this release of HIP's runtime has no " + missing +
                    "). Install ROCm 5.0 or newer, or turn the option off.");
  }
  if (replays_.make(facts_.step_count)) return KMUX_OK;
  return fail(error, KMUX_UNAVAILABLE,
              "out of memory for the graphs of \"" + std::string(facts_.name) + "\". Free some memory.");
}

void Launcher::begin_replay(Call& call, LaneReplay* lane, bool captured) {
  const int device = call.env().env.device;
  if (captured) return report_plain(device, "a capture records the call");
  if (lane == nullptr) return report_plain(device, "more threads launch at once than there are graphs");
  if (lane->replay.is_bound_elsewhere(device)) {
    return report_plain(device, "the graph of this thread is on another device");
  }
  call.begin_replay(lane->replay);
}

// Logs only once.
void Launcher::report_plain(int device, const char* why) {
  if (plain_reported_.load(std::memory_order_relaxed) || plain_reported_.exchange(true)) return;
  report(log_, kLogInfo, "\"%s\" is launched kernel by kernel on device %d (%s).", facts_.name, device, why);
}

// Opens ranges once, before any call reads `ranges_`.
void Launcher::find_ranges() {
  if (!facts_.ranges || has_looked_for_ranges_) return;
  has_looked_for_ranges_ = true;
  ranges_ = open_ranges(log_);
}

int Launcher::check_capture(const HipTable& hip, const kmux_launch_env& env, kmux_sink error) const {
  if (env.stream == nullptr) return KMUX_OK;
  return CaptureWatch::check_first_call<CaptureCalls>(hip, env.stream, facts_.name, env.device, error);
}

// Loads in relaxed mode: another thread may capture a stream while this one prepares a kernel.
int Launcher::load(const HipTable& hip, int device, kmux_sink error) {
  auto made = std::make_unique<DeviceCode>(hip, facts_, device);
  const int code = RelaxedCapture::during(hip, error, [&] { return made->load(code_, error); });
  if (code == KMUX_OK) devices_[device].store(made.release(), std::memory_order_release);
  return code;
}

// Keeps the code if a capture has recorded a call: the captured graph launches the module's functions but does not own
// the module, and would execute freed memory.
Launcher::~Launcher() {
  bool is_logged = !captures_.has_recorded();
  for (std::atomic<DeviceCode*>& each : devices_) {
    const std::unique_ptr<DeviceCode> device(each.load(std::memory_order_acquire));
    if (device == nullptr) continue;
    const UnloadReport<CaptureCalls> report(device->hip(), log_, facts_.name);
    if (!std::exchange(is_logged, true)) report.note_captured();
    if (!captures_.has_recorded() || facts_.replay) unload(*device, report);
  }
}

void Launcher::unload(DeviceCode& device, const UnloadReport<CaptureCalls>& report) {
  std::string text;
  const kmux_sink failure = {&text, [](void* self, const char* data, size_t size) {
                               return static_cast<std::string*>(self)->append(data, size), 0;
                             }};
  DeviceScope scope(device.hip());
  if (scope.enter(device.ordinal(), failure) != KMUX_OK) return report.note(text.c_str(), "it stays loaded");
  RelaxedCapture relaxed(device.hip());
  if (!report.forbids(CaptureCalls::kExchange, relaxed.begin())) unload_relaxed(device, report);
  report.note(CaptureCalls::kExchange, relaxed.end(), "captures by this thread stay relaxed");
  if (scope.leave(KMUX_OK, failure) != KMUX_OK) report.note(text.c_str(), "it is unloaded");
}

// Waits with hipFree, which waits for every stream of a device without affecting captures, unlike hipDeviceSynchronize
// (see CaptureCalls). HIP does not specify whether hipModuleUnload waits for running kernels.
// Source: HIP Runtime API, hipFree ("implicit hipDeviceSynchronize"); ROCm's clr, ihipFree (SyncAllStreams).
void Launcher::unload_relaxed(DeviceCode& device, const UnloadReport<CaptureCalls>& report) {
  const HipTable& hip = device.hip();
  void* memory = nullptr;
  const int allocated = hip.allocate(&memory, 1);
  if (allocated == kOutOfMemory) return report.note("hipMalloc", allocated, "it stays loaded");
  if (report.forbids("hipMalloc", allocated)) return;
  if (allocated == kHipSuccess && report.forbids("hipFree", hip.free(memory))) return;
  const ReplayFailure graphs = replays_.close({&hip, device.ordinal(), nullptr});
  report.note(graphs.call, graphs.result, "a graph stays");
  if (!captures_.has_recorded()) report.note("hipModuleUnload", device.unload(), "it may stay loaded");
}

}  // namespace kmux::hip
