#include "simt/runtime/cluster.h"

#include <string>

namespace kmux::simt {
namespace {

std::string extents_text(const unsigned (&extents)[3]) {
  return "(" + std::to_string(extents[0]) + ", " + std::to_string(extents[1]) + ", " + std::to_string(extents[2]) + ")";
}

__attribute__((cold, noinline)) int refuse_cluster(const kmux_cpu_grid& launch, const std::string& text) {
  launch.error.write(launch.error.self, text.data(), text.size());
  return KMUX_INVALID_ARGUMENT;
}

bool is_same(const unsigned (&a)[3], const unsigned (&b)[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

bool divides(const unsigned (&cluster)[3], const unsigned (&grid)[3]) {
  bool is_multiple = true;
  for (unsigned axis = 0; axis < 3; ++axis)
    is_multiple = is_multiple && cluster[axis] != 0 && grid[axis] % cluster[axis] == 0;
  return is_multiple;
}

}  // namespace
}  // namespace kmux::simt

int kmux_cpu_set_cluster(const kmux_cpu_grid* launch, kmux_cpu_grid* own, const char* kernel, unsigned x, unsigned y,
                         unsigned z) {
  using namespace kmux::simt;
  const unsigned cluster[3] = {x, y, z};
  const std::string source =
      std::string(" of kernel \"") + kernel + "\" (its __cluster_dims__ has " + extents_text(cluster) + ")";
  if (launch->cluster[0] != 0 && !is_same(launch->cluster, cluster)) {
    return refuse_cluster(*launch, "a cluster of " + extents_text(launch->cluster) + " blocks differs from that" +
                                       source + ". Leave the cluster of the launch out, or give it the same.");
  }
  if (!divides(cluster, launch->grid)) {
    return refuse_cluster(*launch, "a grid of " + extents_text(launch->grid) +
                                       " blocks is not a multiple of the cluster" + source + ". Choose another grid.");
  }
  *own = *launch;
  for (unsigned axis = 0; axis < 3; ++axis) own->cluster[axis] = cluster[axis];
  return KMUX_OK;
}
