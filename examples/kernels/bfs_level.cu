// Breadth-first search of a graph in CSR form. A launch takes the vertices of one level, which lie in a queue, and
// makes the queue of the next; who first changes a vertex's distance puts it there. The dispatch has the loop over
// levels.
__global__ void begin(int* distances, int* queue, int* sizes, int vertices, int source, int levels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < vertices) distances[i] = i == source ? 0 : -1;
  if (i <= levels) sizes[i] = i == 0;
  if (i == 0) queue[0] = source;
}

__global__ void bfs_level(const int* offsets, const int* targets, int* distances, const int* queue, int* next,
                          int* sizes, int level) {
  const int size = sizes[level];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    const int vertex = queue[i];
    for (int edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge) {
      const int target = targets[edge];
      if (atomicCAS(&distances[target], -1, level + 1) == -1) next[atomicAdd(&sizes[level + 1], 1)] = target;
    }
  }
}
