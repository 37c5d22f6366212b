#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/kernel.h"
#include "kmux/plugin/driver.h"

#include "nvidia/launch/driver_table.h"

namespace kmux::bench {

/// The driver as an application that knows it well would use it: what our launches are measured against. Every call
/// throws if it fails.
class RawCuda {
 public:
  /// Is there a driver with a device? Opens nothing that stays if there is no driver.
  static bool has_device();

  /// Opens the driver and makes device 0's context current.
  RawCuda();

  const nvidia::DriverTable& calls() const { return calls_; }
  /// Throws with the driver's own words unless `code` is success.
  void check(nvidia::CUresult code, const char* call) const;
  /// The code of `kernel`, loaded once more, in the primary context: what is launched the quickest.
  nvidia::CUfunction load(const Kernel& kernel, const char* symbol, unsigned dynamic_smem_bytes = 0) const;
  /// Waits for the null stream, where all launches of the bars are.
  void wait() const { check(calls_.stream_synchronize(nullptr), "cuStreamSynchronize"); }

 private:
  nvidia::DriverTable calls_{};
};

/// One launch, ready: everything but its arguments is the same each time.
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
  /// The same as a node of a graph.
  nvidia::CUDA_KERNEL_NODE_PARAMS node_params();

 private:
  const RawCuda& cuda_;
  nvidia::CUfunction function_;
  nvidia::CUlaunchConfig config_{};
  std::vector<void*> args_;
};

/// A tensor map that is encoded once, as `map` says, for the tensor at `base`; its dims and strides are constants.
kmux_tensor_map encode(const RawCuda& cuda, const TensorMap& map, void* base);

}  // namespace kmux::bench
