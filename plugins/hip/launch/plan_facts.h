#pragma once

namespace kmux::hip {

/// What a launcher must know of a kernel before its first launch.
struct KernelFacts {
  const char* name;                       // the symbol in the code
  unsigned long long dynamic_smem_bytes;  // the most that a launch asks for by a constant
  unsigned static_smem_bytes;
  unsigned max_threads;                   // of a block; 0 if the code does not say
};

/// What a launcher must know of its plan. Borrowed; outlives the launcher.
struct PlanFacts {
  const char* name;  // of the program, for messages
  const KernelFacts* kernels;
  unsigned kernel_count;
};

}  // namespace kmux::hip
