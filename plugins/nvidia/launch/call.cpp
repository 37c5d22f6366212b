#include "nvidia/launch/call.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/kernel_launch.h"

namespace kmux::nvidia {
namespace {

Lock opening_ranges;
SharedRanges shared_ranges(kNvtx);

}  // namespace

const ProfilerRanges* open_ranges(const Log& log) {
  const Locked locked(opening_ranges);
  return shared_ranges.open([&](const char* missing) { report(log, kLogWarning, "%s", missing); });
}

const kmux_driver Call::kDriver = {&Call::launch, &Call::fill, &Call::encode_tiled, &Call::encode_im2col};

void Call::begin_replay() {
  if (state_ == nullptr) return device_.report_plain("more threads launch at once than there are graphs");
  if (state_->replay.is_bound_elsewhere(device_.context().ordinal)) {
    return device_.report_plain("the graph of this thread is on another device");
  }
  const GraphCalls calls = {&device_.driver(), device_.context().ordinal, device_.context().primary, stream()};
  if (!state_->replay.open(calls)) return;
  replay_ = &state_->replay;
  env_.env.allocator = replay_->allocator(env_.env.allocator);
}

[[gnu::hot]] int Call::launch(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
  Call& call = of(env);
  const bool is_plain = call.ranges_ == nullptr && call.replay_ == nullptr && !call.is_special_;
  if (__builtin_expect(!is_plain, 0)) return call.launch_special(*launch, error);
  const int code = call.device_.allow_dynamic_smem(launch->kernel, launch->dynamic_smem_bytes, error);
  if (__builtin_expect(code != KMUX_OK, 0)) return code;
  return call.launch_plain(*launch, error);
}

int Call::launch_special(const kmux_driver_launch& launch, kmux_sink error) {
  if (has_empty_map_) {
    if (const int code = check_maps(launch, error)) return code;
  }
  // Checked here since, in a replay, the driver would report the error without the launch.
  if (!device_.fits_block(launch)) return device_.refuse_block(launch, error);
  if (const int code = device_.allow_dynamic_smem(launch.kernel, launch.dynamic_smem_bytes, error)) return code;
  const ProfilerRange range(ranges_, device_.facts().kernels[launch.kernel].name);
  if (replay_ != nullptr && replay_->takes(launch)) return replay_->keep(launch, device_.kernel(launch.kernel), error);
  const int code = launch_plain(launch, error);
  return code == KMUX_OK && blocks_ ? wait_for_launch(device_, launch, stream(), error) : code;
}

int Call::note_empty(const kmux_tensor_map& map) {
  empty_map_ = *empty_map_in(&map, sizeof map);
  is_special_ = has_empty_map_ = true;
  return KMUX_OK;
}

// Finds the end of the parameters by the driver's error for the first index past the last. Drivers before 12.4 do not
// report parameters, so any launch may have the map and is rejected.
int Call::check_maps(const kmux_driver_launch& launch, kmux_sink error) {
  const DriverTable& driver = device_.driver();
  if (driver.kernel_parameter == nullptr) return refuse_map(empty_map_, launch.kernel, error);
  size_t offset = 0;
  size_t size = 0;
  for (unsigned i = 0; driver.kernel_parameter(device_.kernel(launch.kernel), i, &offset, &size) == CUDA_SUCCESS; ++i) {
    const EmptyMap* const map = empty_map_in(launch.args[i], size);
    if (map != nullptr) return refuse_map(*map, launch.kernel, error);
  }
  return KMUX_OK;
}

int Call::refuse_map(const EmptyMap& map, unsigned kernel, kmux_sink error) {
  return refuse_empty_map(map, device_.facts().kernels[kernel].name, error);
}

[[gnu::hot]] int Call::launch_plain(const kmux_driver_launch& launch, kmux_sink error) {
  CUlaunchConfig config;
  configure(launch, stream(), &config);
  LaunchAttributes attributes;
  if (LaunchAttributes::are_asked_by(launch)) attributes.apply(launch, device_, &config);
  if (__builtin_expect(context_.is_entered(), 0)) return launch_in_context(launch, config, CUDA_SUCCESS, error);
  const CUresult result = device_.driver().launch(&config, device_.function(launch.kernel), launch.args, nullptr);
  return __builtin_expect(result == CUDA_SUCCESS, 1) ? KMUX_OK : launch_in_context(launch, config, result, error);
}

// `first` is the driver's result without entering a context.
int Call::launch_in_context(const kmux_driver_launch& launch, CUlaunchConfig& config, CUresult first, kmux_sink error) {
  if (first != CUDA_SUCCESS && !says_elsewhere(first)) return fail_launch(device_, launch, first, error);
  if (const int code = context_.enter(error)) return code;
  // A CUkernel may stand for a CUfunction (CUDA Driver API, cuLaunchKernelEx).
  const auto kernel = reinterpret_cast<CUfunction>(device_.kernel(launch.kernel));
  const CUresult result = device_.driver().launch(&config, kernel, launch.args, nullptr);
  return result == CUDA_SUCCESS ? KMUX_OK : fail_launch(device_, launch, result, error);
}

int Call::fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error) {
  Call& call = of(env);
  if (fill->bytes == 0) return KMUX_OK;
  if (call.replay_ != nullptr && call.replay_->takes(*fill)) return call.replay_->keep(*fill, error);
  if (const int code = call.context_.enter(error)) return code;
  const auto address = reinterpret_cast<CUdeviceptr>(fill->target);
  const CUresult result = call.device_.driver().memset8(address, fill->value, fill->bytes, call.stream());
  if (result == CUDA_SUCCESS) return KMUX_OK;
  return fail_call(call.device_.driver(), error, "cuMemsetD8Async", result, "%llu bytes at %p on device %d",
                   fill->bytes, fill->target, call.device_.context().ordinal);
}

int Call::encode_tiled(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                       const unsigned* box, kmux_sink error) {
  Call& call = of(env);
  if (copy_kept_map(call.slot(geometry->index), *geometry, map)) return KMUX_OK;
  if (const int failed = call.context_.enter(error)) return failed;
  const int code = encode_tiled_map(call.device_.driver(), call.slot(geometry->index), map, *geometry, box, error);
  return __builtin_expect(code == kEmptyMap, 0) ? call.note_empty(*map) : code;
}

int Call::encode_im2col(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                        const int* lower_corner, const int* upper_corner, unsigned channels_per_pixel,
                        unsigned pixels_per_column, kmux_sink error) {
  Call& call = of(env);
  if (copy_kept_map(call.slot(geometry->index), *geometry, map)) return KMUX_OK;
  if (const int failed = call.context_.enter(error)) return failed;
  const Im2colBox box = {lower_corner, upper_corner, channels_per_pixel, pixels_per_column};
  const int code = encode_im2col_map(call.device_.driver(), call.slot(geometry->index), map, *geometry, box, error);
  return __builtin_expect(code == kEmptyMap, 0) ? call.note_empty(*map) : code;
}

}  // namespace kmux::nvidia
