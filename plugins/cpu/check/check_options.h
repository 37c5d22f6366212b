#pragma once

namespace kmux::cpu {

/// What is checked while kernels written for one thread of a GPU run.
struct CheckOptions {
  bool memory = false;  // memory, barriers and warps: option check=on
  unsigned seed = 0;    // of the order of threads; 0: as they are numbered
  bool operator==(const CheckOptions&) const = default;
};

}  // namespace kmux::cpu
