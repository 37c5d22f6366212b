#include "geometry.h"

#include <algorithm>
#include <cstdint>

#include "line.h"
#include "world.h"

namespace kmux::fake_cuda {
namespace {

// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxThreadsInZ = 64;
constexpr unsigned kMaxBlocksInYOrZ = 65535;
constexpr unsigned kThreadsOfMultiprocessor = 2048;
constexpr unsigned kPortableCluster = 8;
constexpr unsigned kLargestCluster = 16;
using Extents = std::array<unsigned, 3>;

std::uint64_t product(const Extents& extents) { return std::uint64_t{extents[0]} * extents[1] * extents[2]; }

const char* name_of(CUaccessProperty property) {
  constexpr const char* kNames[] = {"normal", "streaming", "persisting"};
  return property >= 0 && property <= 2 ? kNames[property] : "?";
}

CUresult read_window(const CUaccessPolicyWindow& window, const Device& device, std::string& text) {
  append(text, "window ");
  append(text, window.base_ptr);
  append(text, " bytes ");
  append(text, window.num_bytes);
  append(text, " hit ");
  append(text, double{window.hitRatio});
  text += std::string(" ") + name_of(window.hitProp) + " else " + name_of(window.missProp);
  const bool fits = window.num_bytes <= static_cast<std::size_t>(device.max_window_bytes);
  const bool share = window.hitRatio >= 0 && window.hitRatio <= 1;
  const bool misses = window.missProp == CU_ACCESS_PROPERTY_NORMAL || window.missProp == CU_ACCESS_PROPERTY_STREAMING;
  return fits && share && misses ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool has_valid_extents(const Geometry& geometry) {
  const auto& [grid, block, cluster, smem, cooperative] = geometry;
  return product(grid) != 0 && product(block) != 0 && grid[0] <= INT32_MAX && grid[1] <= kMaxBlocksInYOrZ &&
         grid[2] <= kMaxBlocksInYOrZ && product(block) <= kMaxThreads && block[2] <= kMaxThreadsInZ;
}

CUresult check_cluster(const Kernel::OnDevice& there, const Geometry& geometry) {
  if (geometry.cluster == Extents{}) return CUDA_SUCCESS;
  const std::uint64_t blocks = product(geometry.cluster);
  if (blocks == 0 || blocks > (there.large_clusters ? kLargestCluster : kPortableCluster))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  for (std::size_t i = 0; i < 3; ++i) {
    if (geometry.grid[i] % geometry.cluster[i] != 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult read_attribute(const CUlaunchAttribute& attribute, const Device& device, Geometry& geometry,
                        std::string& text) {
  const CUlaunchAttributeValue& value = attribute.value;
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      return read_window(value.accessPolicyWindow, device, text);
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      geometry.cooperative = value.cooperative != 0;
      text += "cooperative " + std::to_string(value.cooperative);
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      geometry.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
      text += "cluster " + list(geometry.cluster.data(), 3);
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      text += "programmatic_serialization " + std::to_string(value.programmaticStreamSerializationAllowed);
      return CUDA_SUCCESS;
  }
  text += "attribute " + std::to_string(static_cast<int>(attribute.id));
  return CUDA_ERROR_INVALID_VALUE;
}

int most_threads_of(const Kernel& kernel) {
  const auto told = world().most_threads.find(kernel.name);
  return told == world().most_threads.end() ? static_cast<int>(kMaxThreads) : told->second;
}

CUresult check_geometry(const Kernel& kernel, int device, const Geometry& geometry) {
  const auto found = kernel.on_device.find(device);
  const Kernel::OnDevice there = found == kernel.on_device.end() ? Kernel::OnDevice{} : found->second;
  if (!has_valid_extents(geometry)) return CUDA_ERROR_INVALID_VALUE;
  if (product(geometry.block) > static_cast<unsigned>(most_threads_of(kernel))) return CUDA_ERROR_INVALID_VALUE;
  const int most_shared = kernel.max_dynamic_shared_on(there);
  if (std::int64_t{geometry.dynamic_smem_bytes} > most_shared) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult wrong = check_cluster(there, geometry); wrong != CUDA_SUCCESS) return wrong;
  const std::uint64_t blocks_at_once = std::max<std::uint64_t>(1, kThreadsOfMultiprocessor / product(geometry.block)) *
                                       static_cast<unsigned>(world().devices[device].multiprocessors);
  const bool too_large = geometry.cooperative && product(geometry.grid) > blocks_at_once;
  return too_large ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

std::string geometry_text(const Geometry& geometry) {
  return " grid " + list(geometry.grid.data(), 3) + " block " + list(geometry.block.data(), 3) + " smem " +
         std::to_string(geometry.dynamic_smem_bytes);
}

}  // namespace kmux::fake_cuda
