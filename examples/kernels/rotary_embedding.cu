// Pairs of elements half a head apart are turned by an angle that grows with the position and falls along the head.
__global__ void rotary_embedding(float* x, const int* positions, int heads, int half) {
  const int token = blockIdx.x, head = blockIdx.y;
  float* at = x + (static_cast<long long>(token) * heads + head) * 2 * half;
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const float frequency = exp2f(-13.2877124f * i / half);  // 10000^(-i / half)
    float sine, cosine;
    sincosf(positions[token] * frequency, &sine, &cosine);
    const float u = at[i], v = at[i + half];
    at[i] = u * cosine - v * sine;
    at[i + half] = v * cosine + u * sine;
  }
}
