#include "nvidia/launch/launcher.h"

#include <new>

namespace kmux::nvidia {

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
  int code = env == nullptr ? KMUX_OK : check_capture(state, env->stream, error);
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

int Launcher::check_capture(const DeviceState& state, void* stream, kmux_sink error) const {
  return CaptureWatch::check_first_call<CaptureCalls>(*driver_, stream, facts_.name, state.context().ordinal, error);
}

Launcher::~Launcher() {
  if (driver_ != nullptr) unload();
  for (std::atomic<DeviceState*>& device : devices_) delete device.load(std::memory_order_acquire);
}

// Does not wait for a context, which would invalidate every capture in it: the driver unloads after work in flight.
void Launcher::unload() {
  const UnloadReport<CaptureCalls> report(*driver_, log_, facts_.name);
  RelaxedCapture relaxed(*driver_);
  if (report.forbids(CaptureCalls::kExchange, relaxed.begin())) return;
  const ReplayFailure graphs = states_.close(*driver_);
  report.note(graphs.call, graphs.result, "a graph stays");
  unload_code(report);
  report.note(CaptureCalls::kExchange, relaxed.end(), "captures by this thread stay relaxed");
}

// Keeps the code if a capture has recorded a call: a later launch of the captured graph would execute freed memory.
void Launcher::unload_code(const UnloadReport<CaptureCalls>& report) {
  if (captures_.has_recorded()) return report.note_captured();
  if (report.forbids("cuLibraryUnload", code_.unload(*driver_))) return;
  for (std::atomic<DeviceState*>& device : devices_) {
    DeviceState* const state = device.load(std::memory_order_acquire);
    if (state == nullptr) continue;
    const PersistingLines::Failure lines = state->give_back_lines();
    report.note(lines.call, lines.result, "lines of the L2 cache stay set aside");
    const ContextRelease released = state->release();
    report.note(released.call, released.result, "a context stays");
  }
}

}  // namespace kmux::nvidia
