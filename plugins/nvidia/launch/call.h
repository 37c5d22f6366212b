#pragma once

#include "kmux/plugin/driver.h"
#include "kmux/plugin/profiler_ranges.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/device_state.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/launch_state.h"

namespace kmux::nvidia {

/// Returns the one table of this library. Returns null if NVTX is not installed, which the first such call logs. The
/// table is never closed.
///
/// Threads: thread-safe.
const ProfilerRanges* open_ranges(const Log& log);

/// One call in progress: the implementation behind the `kmux_driver` of its env.
///
/// The call does not query the current context. It launches functions of the primary context. If that is not the
/// context of the stream, the driver returns CUDA_ERROR_INVALID_CONTEXT or CUDA_ERROR_INVALID_HANDLE. Only after that
/// error, for a fill, and to encode a map, the call enters a context and launches the following kernels in it.
class Call {
 public:
  /// `state` may be null: no state is then kept from call to call.
  Call(DeviceState& device, ContextScope& context, LaunchState* state, const ProfilerRanges* ranges,
       const kmux_launch_env& env)
      : device_(device), context_(context), state_(state), ranges_(ranges), env_{env, &kDriver, this} {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Replays the launches of this call as a graph, if possible.
  void begin_replay();
  /// Makes each launch of this call block until the kernel is done.
  void block() { is_special_ = blocks_ = true; }

  const kmux_driver_env& env() const { return env_; }

  /// Ends the call. `code` must be the result of the body. Returns `code`, or the error of a replay.
  int finish(int code, kmux_sink error) {
    return __builtin_expect(replay_ != nullptr, 0) ? replay_->close(code, error) : code;
  }

 private:
  static int launch(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error);
  static int fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error);
  static int encode_tiled(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                          const unsigned* box, kmux_sink error);
  static int encode_im2col(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                           const int* lower_corner, const int* upper_corner, unsigned channels_per_pixel,
                           unsigned pixels_per_column, kmux_sink error);
  static const kmux_driver kDriver;

  static Call& of(const kmux_driver_env* env) { return *static_cast<Call*>(env->call); }
  CUstream stream() const { return static_cast<CUstream>(env_.env.stream); }
  int note_empty(const kmux_tensor_map& map);
  int check_maps(const kmux_driver_launch& launch, kmux_sink error);
  int refuse_map(const EmptyMap& map, unsigned kernel, kmux_sink error);
  MapSlot* slot(unsigned index) { return state_ == nullptr ? nullptr : state_->map(index); }
  int launch_special(const kmux_driver_launch& launch, kmux_sink error);  // with rare features
  int launch_plain(const kmux_driver_launch& launch, kmux_sink error);
  int launch_in_context(const kmux_driver_launch& launch, CUlaunchConfig& config, CUresult first, kmux_sink error);

  DeviceState& device_;
  ContextScope& context_;
  LaunchState* state_;
  const ProfilerRanges* ranges_;
  Replay* replay_ = nullptr;  // null: launches are plain
  bool is_special_ = false;  // true if one of the next two is
  bool has_empty_map_ = false;
  bool blocks_ = false;
  EmptyMap empty_map_;  // the last one, if has_empty_map_
  kmux_driver_env env_;
};

}  // namespace kmux::nvidia
