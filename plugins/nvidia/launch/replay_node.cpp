#include "nvidia/launch/replay_node.h"

#include <string.h>

namespace kmux::nvidia {

namespace {

bool take_extents(unsigned* kept, const unsigned* given) {
  if (memcmp(kept, given, 3 * sizeof(unsigned)) == 0) return false;
  memcpy(kept, given, 3 * sizeof(unsigned));
  return true;
}

template <class Value>
bool take_value(Value& kept, Value given) {
  const bool changed = kept != given;
  kept = given;
  return changed;
}

}  // namespace

// The cluster belongs to the form of an executable: it has no call that changes one.
ReplayFailure ReplayNode::keep(const DriverTable& driver, const kmux_driver_launch& launch, CUkernel kernel,
                               bool* restructure) {
  const ReplayFailure failure = arguments_.shape(driver, kernel);
  if (failure.call != nullptr) return failure;
  kind_ = Kind::kKernel;
  changed_ |= take_value(kernel_, kernel);
  changed_ |= take_extents(grid_, launch.grid);
  changed_ |= take_extents(block_, launch.block);
  changed_ |= take_value(dynamic_smem_bytes_, static_cast<unsigned>(launch.dynamic_smem_bytes));
  changed_ |= arguments_.update(launch.args);
  *restructure |= take_extents(cluster_, launch.cluster);
  *restructure |= node_ == nullptr;
  present_ = true;
  return {};
}

void ReplayNode::keep(const kmux_driver_fill& fill, bool* restructure) {
  kind_ = Kind::kFill;
  changed_ |= take_value(fill_.dst, static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(fill.target)));
  changed_ |= take_value(fill_.value, static_cast<unsigned>(fill.value));
  changed_ |= take_value(fill_.width, static_cast<size_t>(fill.bytes));
  fill_.elementSize = 1;
  fill_.height = 1;
  *restructure |= node_ == nullptr;
  present_ = true;
}

CUDA_KERNEL_NODE_PARAMS ReplayNode::kernel_params() const {
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.gridDimX = grid_[0];
  params.gridDimY = grid_[1];
  params.gridDimZ = grid_[2];
  params.blockDimX = block_[0];
  params.blockDimY = block_[1];
  params.blockDimZ = block_[2];
  params.sharedMemBytes = dynamic_smem_bytes_;
  params.kernelParams = arguments_.args();
  params.kern = kernel_;
  return params;
}

ReplayFailure ReplayNode::set_cluster(const DriverTable& driver) const {
  if (cluster_[0] == 0) return {};
  CUlaunchAttributeValue value = {};
  value.clusterDim.x = cluster_[0];
  value.clusterDim.y = cluster_[1];
  value.clusterDim.z = cluster_[2];
  const CUresult result = driver.graph_set_attribute(node_, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value);
  if (result != CUDA_SUCCESS) return {"cuGraphKernelNodeSetAttribute", result};
  return {};
}

ReplayFailure ReplayNode::add(const DriverTable& driver, CUgraph graph, CUcontext context, CUgraphNode* last) {
  node_ = nullptr;
  // A fill that this call does not have may name memory that is gone, which the driver would refuse. A kernel's arguments
  // it only copies.
  if (kind_ == Kind::kNone || (kind_ == Kind::kFill && !present_)) return {};
  const size_t after = *last == nullptr ? 0 : 1;
  if (kind_ == Kind::kFill) {
    const CUresult result = driver.graph_add_memset(&node_, graph, last, after, &fill_, context);
    if (result != CUDA_SUCCESS) return {"cuGraphAddMemsetNode", result};
  } else {
    const CUDA_KERNEL_NODE_PARAMS params = kernel_params();
    const CUresult result = driver.graph_add_kernel(&node_, graph, last, after, &params);
    if (result != CUDA_SUCCESS) return {"cuGraphAddKernelNode", result};
    const ReplayFailure failure = set_cluster(driver);
    if (failure.call != nullptr) return failure;
  }
  *last = node_;
  changed_ = false;
  enabled_ = true;
  return {};
}

ReplayFailure ReplayNode::apply(const DriverTable& driver, CUgraphExec executable, CUcontext context,
                                bool* restructure) {
  if (node_ == nullptr) return {};
  if (present_ && changed_) {
    const ReplayFailure failure = set_parameters(driver, executable, context, restructure);
    if (failure.call != nullptr || *restructure) return failure;
    changed_ = false;
  }
  if (enabled_ == present_) return {};
  const CUresult result = driver.executable_enable(executable, node_, present_ ? 1 : 0);
  if (result != CUDA_SUCCESS) return {"cuGraphNodeSetEnabled", result};
  enabled_ = present_;
  return {};
}

// The driver refuses to move a fill to memory of another kind, as from a device to the host; a new graph can.
ReplayFailure ReplayNode::set_parameters(const DriverTable& driver, CUgraphExec executable, CUcontext context,
                                         bool* restructure) {
  if (kind_ == Kind::kFill) {
    const CUresult result = driver.executable_set_memset(executable, node_, &fill_, context);
    if (result == CUDA_ERROR_INVALID_VALUE) return *restructure = true, ReplayFailure{};
    return result == CUDA_SUCCESS ? ReplayFailure{} : ReplayFailure{"cuGraphExecMemsetNodeSetParams", result};
  }
  const CUDA_KERNEL_NODE_PARAMS params = kernel_params();
  const CUresult result = driver.executable_set_kernel(executable, node_, &params);
  return result == CUDA_SUCCESS ? ReplayFailure{} : ReplayFailure{"cuGraphExecKernelNodeSetParams", result};
}

}  // namespace kmux::nvidia
