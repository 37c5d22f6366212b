// A step of Adam (Kingma and Ba, 2014) on all parameters in place.
__global__ void adam_step(float* weights, const float* gradients, float* first, float* second, int n, float rate,
                          float beta1, float beta2, int step) {
  const float correction1 = 1.0f - powf(beta1, step), correction2 = 1.0f - powf(beta2, step);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float g = gradients[i];
    const float m = first[i] = beta1 * first[i] + (1.0f - beta1) * g;
    const float v = second[i] = beta2 * second[i] + (1.0f - beta2) * g * g;
    weights[i] -= rate * (m / correction1) / (sqrtf(v / correction2) + 1e-8f);
  }
}
