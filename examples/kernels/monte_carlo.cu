// Pi by throwing points at a quarter of a circle. Each thread has a generator of its own; hits are counted by votes.
__global__ void monte_carlo(const unsigned* seeds, unsigned long long* hits, int threads, int throws) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = i < threads ? seeds[i] | 1u : 1u;
  const auto next = [&state] {  // xorshift, Marsaglia 2003
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state >> 17;  // 15 bits, so that the squares are exact
  };
  unsigned of_warp = 0;
  for (int t = 0; t < throws; ++t) {
    const unsigned x = next(), y = next();
    of_warp += __popc(__ballot_sync(0xffffffffu, i < threads && x * x + y * y < (1u << 30)));
  }
  if (threadIdx.x % 32 == 0) atomicAdd(hits, static_cast<unsigned long long>(of_warp));
}
