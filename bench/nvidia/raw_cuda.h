#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/kernel.h"
#include "kmux/plugin/driver.h"

#include "nvidia/launch/driver_table.h"

namespace kmux::bench {

/// The driver as an expert application would use it: the reference for kmux's launches. Every call throws if it fails.
class RawCuda {
 public:
  /// Returns true if there is a driver with a device. Leaves nothing open without a driver.
  static bool has_device();

  /// Opens the driver and makes the context of device 0 current.
  RawCuda();

  const nvidia::DriverTable& calls() const { return calls_; }
  /// Throws with the driver's own text unless `code` is success.
  void check(nvidia::CUresult code, const char* call) const;
  /// Returns a second copy of `kernel`'s code, loaded into the primary context, which launches the fastest.
  nvidia::CUfunction load(const Kernel& kernel, const char* symbol, unsigned dynamic_smem_bytes = 0) const;
  /// Waits for the null stream, on which all launches of the bars run.
  void wait() const { check(calls_.stream_synchronize(nullptr), "cuStreamSynchronize"); }

 private:
  nvidia::DriverTable calls_{};
};

/// A prepared launch: only its arguments change.
class RawLaunch {
 public:
  RawLaunch(const RawCuda& cuda, nvidia::CUfunction function, unsigned grid_x, unsigned block_x,
            std::vector<void*> args)
      : cuda_(cuda), function_(function), args_(std::move(args)) {
    config_ = {grid_x, 1, 1, block_x, 1, 1, 0, nullptr, nullptr, 0};
  }
  nvidia::CUlaunchConfig& config() { return config_; }
  void operator()() {
    cuda_.check(cuda_.calls().launch(&config_, function_, args_.data(), nullptr), "cuLaunchKernelEx");
  }
  /// Returns the same as a node of a graph.
  nvidia::CUDA_KERNEL_NODE_PARAMS node_params();

 private:
  const RawCuda& cuda_;
  nvidia::CUfunction function_;
  nvidia::CUlaunchConfig config_{};
  std::vector<void*> args_;
};

/// Returns a tensor map that is encoded once, as `map` describes, for the tensor at `base`; its dims and strides are
/// constants.
kmux_tensor_map encode(const RawCuda& cuda, const TensorMap& map, void* base);

}  // namespace kmux::bench
