#include "nvidia/launch/launcher.h"

#include <new>

namespace kmux::nvidia {
namespace {

// Returns true if a destructor must not unload: a capture is in progress, or the context or the driver no longer
// exists.
bool forbids_unloading(CUresult result) {
  return says_capturing(result) || result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_DEINITIALIZED ||
         result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace

int Launcher::prepare(int device, kmux_sink error) {
  return find(device) == nullptr ? prepare(device, nullptr, error) : KMUX_OK;
}

int Launcher::find_variable(int device, const char* symbol, void** address, uint64_t* bytes, kmux_sink error) {
  if (const int code = prepare(device, error)) return code;
  ContextScope primary(*driver_, find(device)->context());
  if (const int code = primary.enter_primary(error)) return code;
  const int code = RelaxedCapture::during(*driver_, error,
                                          [&] { return code_.find_variable(*driver_, symbol, address, bytes, error); });
  return primary.leave(code, error);
}

const kmux_driver Launcher::kDirect = {
    [](const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
      return static_cast<Launcher*>(env->call)->launch(env->env, *launch, error);
    },
    nullptr, nullptr, nullptr};

int Launcher::launch_special(const kmux_launch_env& env, const kmux_driver_launch& launch, bool elsewhere,
                             kmux_sink error) {
  const auto body = [&](const kmux_driver_env& driver_env, kmux_sink sink) {
    return driver_env.driver->launch(&driver_env, &launch, sink);
  };
  return call_recorded(env, error, body, elsewhere);
}

int Launcher::prepare(int device, const kmux_launch_env* env, kmux_sink error) {
  if (device < 0 || device >= kMaxDevices) {
    return fail(error, KMUX_INVALID_ARGUMENT, "device %d is out of range (0 to %d). Pass an ordinal of a device.",
                device, kMaxDevices - 1);
  }
  const Locked locked(lock_);
  if (find(device) != nullptr) return KMUX_OK;  // another thread made it
  if (driver_ == nullptr) driver_ = open_driver(error);
  if (driver_ == nullptr) return KMUX_UNAVAILABLE;
  find_ranges();
  return make_device(device, env, error);
}

// Writes `ranges_` only if it changes from null: other threads may already read it.
void Launcher::find_ranges() {
  if (!facts_.ranges || ranges_ != nullptr) return;
  if (const ProfilerRanges* const ranges = open_ranges(log_)) ranges_ = ranges;
}

int Launcher::make_device(int device, const kmux_launch_env* env, kmux_sink error) {
  auto* const state = new (std::nothrow) DeviceState(*driver_, facts_, log_, lines_);
  if (state == nullptr)
    return fail(error, KMUX_UNAVAILABLE, "out of memory for the state of device %d. Free some.", device);
  int code = state->retain(device, error);
  if (code == KMUX_OK) {
    code = prepare_device(*state, env, error);
    if (code != KMUX_OK) {  // the first failure is reported
      static_cast<void>(state->give_back_lines());
      static_cast<void>(state->release());
    }
  }
  if (code != KMUX_OK) {
    delete state;
    return code;
  }
  devices_[device].store(state, std::memory_order_release);
  return KMUX_OK;
}

int Launcher::prepare_device(DeviceState& state, const kmux_launch_env* env, kmux_sink error) {
  ContextScope context(*driver_, state.context());
  if (const int code = context.enter(error)) return code;
  int code = env == nullptr ? KMUX_OK : check_capture(state, static_cast<CUstream>(env->stream), error);
  if (code == KMUX_OK) code = load(state, error);
  if (code == KMUX_OK) code = find_functions(state, error);
  if (code == KMUX_OK) code = states_.make(facts_.map_count, replay_steps(), error);
  return context.leave(code, error);
}

// Loads in relaxed mode: another thread may capture a stream while this one prepares a kernel.
int Launcher::load(DeviceState& state, kmux_sink error) {
  return RelaxedCapture::during(*driver_, error, [&] {
    int code = code_.load(*driver_, error);
    if (code == KMUX_OK && !packs_fit_) code = check_packs(*driver_, code_, facts_, log_, error);
    packs_fit_ = code == KMUX_OK;
    return code == KMUX_OK ? state.prepare(code_, error) : code;
  });
}

int Launcher::find_functions(DeviceState& state, kmux_sink error) {
  ContextScope primary(*driver_, state.context());
  if (const int code = primary.enter_primary(error)) return code;
  return primary.leave(state.find_functions(error), error);
}

unsigned Launcher::replay_steps() const {
  if (!facts_.replay) return 0;
  if (driver_->kernel_parameter != nullptr) return facts_.step_count;
  report(log_, kLogWarning, "\"%s\" is launched kernel by kernel (graphs need a driver of CUDA 12.4 or newer).",
         facts_.name);
  return 0;
}

int Launcher::check_capture(const DeviceState& state, CUstream stream, kmux_sink error) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver_->stream_capturing(stream, &status);
  if (result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_NONE) return KMUX_OK;
  if (result != CUDA_SUCCESS && !says_capturing(result)) {
    return fail_call(*driver_, error, "cuStreamIsCapturing", result, "the stream of \"%s\" on device %d", facts_.name,
                     state.context().ordinal);
  }
  return fail(
      error, KMUX_LAUNCH_FAILED,
      "the first call of \"%s\" on device %d is inside a capture (its code is not ready yet). Call warm() before "
      "the capture begins.",
      facts_.name, state.context().ordinal);
}

Launcher::~Launcher() {
  if (driver_ != nullptr) unload();
  for (std::atomic<DeviceState*>& device : devices_) delete device.load(std::memory_order_acquire);
}

// Does not wait for a context, which would invalidate every capture in it: the driver unloads after work in flight.
void Launcher::unload() {
  RelaxedCapture relaxed(*driver_);
  if (forbids("cuThreadExchangeStreamCaptureMode", relaxed.begin())) return;
  const ReplayFailure graphs = states_.close(*driver_);
  note(graphs.call, static_cast<CUresult>(graphs.result), "a graph stays");
  unload_code();
  note("cuThreadExchangeStreamCaptureMode", relaxed.end(), "captures by this thread stay relaxed");
}

// Keeps the code if a capture has recorded a call. The captured graph does not own the code, so a later launch of it
// would execute freed memory.
void Launcher::unload_code() {
  if (captured_.load(std::memory_order_relaxed)) {
    return report(log_, kLogInfo, "the code of \"%s\" stays loaded (a capture has recorded a call of it).",
                  facts_.name);
  }
  if (forbids("cuLibraryUnload", code_.unload(*driver_))) return;
  for (std::atomic<DeviceState*>& device : devices_) {
    DeviceState* const state = device.load(std::memory_order_acquire);
    if (state == nullptr) continue;
    const PersistingLines::Failure lines = state->give_back_lines();
    note(lines.call, lines.result, "lines of the L2 cache stay set aside");
    const ContextRelease released = state->release();
    note(released.call, released.result, "a context stays");
  }
}

// Returns true if the result of `call` forbids unloading, and logs the result.
bool Launcher::forbids(const char* call, CUresult result) {
  const bool stays = forbids_unloading(result);
  note(call, result, stays ? "it stays loaded" : "it is unloaded all the same");
  return stays;
}

void Launcher::note(const char* call, CUresult result, const char* outcome) {
  if (result == CUDA_SUCCESS) return;
  report(log_, kLogWarning, "unloading the code of \"%s\": %s failed with %d %s; %s.", facts_.name, call,
         static_cast<int>(result), error_name_of(*driver_, result), outcome);
}

}  // namespace kmux::nvidia
