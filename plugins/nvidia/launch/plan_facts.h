#pragma once

namespace kmux::nvidia {

/// What a launcher must know of a kernel before its first launch.
struct KernelFacts {
  const char* name;                       // the symbol in the code
  unsigned long long dynamic_smem_bytes;  // the most that a launch asks for by a constant
  bool large_cluster;                     // a cluster has more than 8 blocks, or may have
};

/// What launches pass to a kernel, to be compared with what it takes.
struct PackFacts {
  unsigned kernel;
  unsigned count;
  const unsigned* sizes;  // in bytes, in the order of the parameters
  bool spare;             // a further byte follows, for a parameter that holds nothing
};

/// What a launcher must know of its plan. Borrowed; outlives the launcher.
struct PlanFacts {
  const KernelFacts* kernels;
  unsigned kernel_count;
  unsigned map_count;
  unsigned step_count;
  unsigned long long window_bytes;  // the largest constant L2 window; 1 if one is not constant; 0 without any
  bool replay;                      // option `graph` is on and the body may be replayed as a graph
  const char* name;                 // of the program, for messages and ranges
  bool ranges;                      // show calls and launches to profilers, as NVTX ranges
  bool needs_context;  // a call does what fails without its context even on a stream of it: it allocates
  bool only_launches;               // a call has neither workspaces, tensor maps nor fills
  const PackFacts* packs;           // each once
  unsigned pack_count;
};

}  // namespace kmux::nvidia
