#pragma once

#include "kmux/plugin/driver.h"

#include "nvidia/launch/driver_abi.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// What failed among the calls of a replay, to be reported once the call that it belongs to ends; `call` is null where nothing
/// did.
struct ReplayFailure {
  const char* call = nullptr;
  CUresult result = CUDA_SUCCESS;
};

/// The argument bytes of one launch, kept from call to call. Sizes are the driver's: what it would read.
class ArgumentCopy {
 public:
  ArgumentCopy() = default;
  ArgumentCopy(const ArgumentCopy&) = delete;
  ArgumentCopy& operator=(const ArgumentCopy&) = delete;
  ~ArgumentCopy();

  /// Asks for the parameters of `kernel` and makes room for them, once; later calls do nothing.
  ReplayFailure shape(const DriverTable& driver, CUkernel kernel);

  /// Takes the bytes that `args` point to; says whether one differs from before.
  bool update(void* const* args);

  /// As a launch takes them.
  void** args() const { return args_; }

 private:
  static ReplayFailure measure(const DriverTable& driver, CUkernel kernel, unsigned* count, size_t* bytes);
  ReplayFailure allocate(unsigned count, size_t bytes);
  ReplayFailure place(const DriverTable& driver, CUkernel kernel);

  unsigned count_ = 0;
  char* block_ = nullptr;  // the bytes, then the two arrays that follow; null before `shape`
  void** args_ = nullptr;  // into the bytes
  size_t* sizes_ = nullptr;
};

/// One launch or fill of a body as a node of a graph: what it is to do in the next launch of the graph, and what the
/// executable already knows of that. On cache lines of its own.
class alignas(64) ReplayNode {
 public:
  /// Takes what `launch` asks for. `restructure` becomes true where an executable cannot follow.
  ReplayFailure keep(const DriverTable& driver, const kmux_driver_launch& launch, CUkernel kernel, bool* restructure);
  void keep(const kmux_driver_fill& fill, bool* restructure);

  /// Adds the node to `graph`, after `*last`, and becomes `*last`; nothing where no call had this step yet.
  ReplayFailure add(const DriverTable& driver, CUgraph graph, CUcontext context, CUgraphNode* last);

  /// Tells the executable what changed since it was told last: parameters, and whether this call has the step.
  /// `restructure` becomes true where it cannot follow.
  ReplayFailure apply(const DriverTable& driver, CUgraphExec executable, CUcontext context, bool* restructure);

  /// The step is not (or no longer) in the call in progress.
  void leave() { present_ = false; }

 private:
  enum class Kind : unsigned char { kNone, kKernel, kFill };

  CUDA_KERNEL_NODE_PARAMS kernel_params() const;
  ReplayFailure set_cluster(const DriverTable& driver) const;
  ReplayFailure set_parameters(const DriverTable& driver, CUgraphExec executable, CUcontext context, bool* restructure);

  Kind kind_ = Kind::kNone;
  bool present_ = false;  // in the call in progress
  bool enabled_ = false;  // in the executable
  bool changed_ = false;  // since the executable was told
  CUgraphNode node_ = nullptr;
  CUkernel kernel_ = nullptr;
  unsigned grid_[3] = {};
  unsigned block_[3] = {};
  unsigned cluster_[3] = {};
  unsigned dynamic_smem_bytes_ = 0;
  ArgumentCopy arguments_;
  CUDA_MEMSET_NODE_PARAMS fill_ = {};
};

}  // namespace kmux::nvidia
