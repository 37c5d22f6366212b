#pragma once

namespace kmux::simt {

/// The checks made while kernels written for one thread of a GPU run.
struct CheckOptions {
  bool memory = false;  // memory, barriers and warps: option check=on
  unsigned seed = 0;  // of the order of threads; 0: in the order of their numbers
  bool operator==(const CheckOptions&) const = default;
};

}  // namespace kmux::simt
