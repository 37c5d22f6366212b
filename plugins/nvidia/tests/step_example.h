#pragma once

#include <cstdint>

#include "kmux/plugin/driver.h"

namespace kmux::nvidia {

/// One launch with one pointer as its argument.
struct StepExample {
  unsigned step = 0;
  std::uint64_t argument = 4096;
  unsigned grid[3] = {4, 1, 1};
  unsigned block[3] = {128, 1, 1};
  unsigned cluster[3] = {0, 0, 0};
  unsigned long long dynamic_smem_bytes = 0;
  unsigned flags = 0;
  unsigned window_count = 0;

  /// Lifetime: the result points into this object.
  kmux_driver_launch launch() {
    args_[0] = &argument;
    return {step,
            step,
            {grid[0], grid[1], grid[2]},
            {block[0], block[1], block[2]},
            {cluster[0], cluster[1], cluster[2]},
            dynamic_smem_bytes,
            flags,
            window_count,
            args_,
            nullptr};
  }

 private:
  void* args_[1] = {};
};

}  // namespace kmux::nvidia
