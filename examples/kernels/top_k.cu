// The k largest of each row with their places, largest first: k times the warp looks for the largest that comes after
// the last one. Of equal ones the first comes first.
#ifndef INFINITY  // NVRTC has none
#define INFINITY __int_as_float(0x7f800000)
#endif
__global__ void top_k(const float* x, float* values, int* places, int columns, int k) {
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float last = INFINITY;
  int last_place = -1;
  for (int rank = 0; rank < k; ++rank) {
    float best = -INFINITY;
    int place = columns;
    for (int i = threadIdx.x; i < columns; i += 32) {
      const bool after = row[i] < last || (row[i] == last && i > last_place);
      if (after && row[i] > best) best = row[i], place = i;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, best, distance);
      const int other_place = __shfl_xor_sync(0xffffffffu, place, distance);
      if (other > best || (other == best && other_place < place)) best = other, place = other_place;
    }
    if (threadIdx.x == 0) {
      values[blockIdx.x * k + rank] = best;
      places[blockIdx.x * k + rank] = place;
    }
    last = best;
    last_place = place;
  }
}
