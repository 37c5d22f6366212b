#include "nvidia/launch/replay_node.h"

#include <stdlib.h>
#include <string.h>

namespace kmux::nvidia {
namespace {

constexpr size_t kArgumentAlignment = 64;  // of a tensor map, the most that a parameter asks for

size_t aligned_argument_bytes(size_t bytes) {
  return (bytes + kArgumentAlignment - 1) / kArgumentAlignment * kArgumentAlignment;
}

// Nearly all arguments are pointers, for which comparing and copying are one instruction each.
bool take_argument(void* kept, const void* given, size_t size) {
  if (size == sizeof(void*)) {
    if (memcmp(kept, given, sizeof(void*)) == 0) return false;
    memcpy(kept, given, sizeof(void*));
    return true;
  }
  if (memcmp(kept, given, size) == 0) return false;
  memcpy(kept, given, size);
  return true;
}

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

ArgumentCopy::~ArgumentCopy() { free(block_); }

ReplayFailure ArgumentCopy::shape(const DriverTable& driver, CUkernel kernel) {
  if (block_ != nullptr) return {};
  unsigned count = 0;
  size_t bytes = 0;
  ReplayFailure failure = measure(driver, kernel, &count, &bytes);
  if (failure.call == nullptr) failure = allocate(count, bytes);
  if (failure.call == nullptr) failure = place(driver, kernel);
  return failure;
}

// The driver has no call for the number of parameters: it refuses the first index past the last.
ReplayFailure ArgumentCopy::measure(const DriverTable& driver, CUkernel kernel, unsigned* count, size_t* bytes) {
  for (;; ++*count) {
    size_t offset = 0;
    size_t size = 0;
    const CUresult result = driver.kernel_parameter(kernel, *count, &offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) return {};
    if (result != CUDA_SUCCESS) return {"cuKernelGetParamInfo", result};
    if (offset + size > *bytes) *bytes = offset + size;
  }
}

ReplayFailure ArgumentCopy::allocate(unsigned count, size_t bytes) {
  const size_t arrays = aligned_argument_bytes(bytes);
  const size_t block = arrays + aligned_argument_bytes(count * (sizeof(void*) + sizeof(size_t)));
  block_ = static_cast<char*>(aligned_alloc(kArgumentAlignment, block > 0 ? block : kArgumentAlignment));
  if (block_ == nullptr) return {"aligned_alloc", CUDA_ERROR_OUT_OF_MEMORY};
  memset(block_, 0, block);
  args_ = reinterpret_cast<void**>(block_ + arrays);
  sizes_ = reinterpret_cast<size_t*>(args_ + count);
  count_ = count;
  return {};
}

// The bytes lie as the device has them, so what is aligned there is aligned here.
ReplayFailure ArgumentCopy::place(const DriverTable& driver, CUkernel kernel) {
  for (unsigned i = 0; i < count_; ++i) {
    size_t offset = 0;
    const CUresult result = driver.kernel_parameter(kernel, i, &offset, &sizes_[i]);
    if (result != CUDA_SUCCESS) {
      free(block_);
      block_ = nullptr;
      return {"cuKernelGetParamInfo", result};
    }
    args_[i] = block_ + offset;
  }
  return {};
}

bool ArgumentCopy::update(void* const* args) {
  bool changed = false;
  for (unsigned i = 0; i < count_; ++i) changed |= take_argument(args_[i], args[i], sizes_[i]);
  return changed;
}

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
