// Prices of European calls and puts: many transcendental functions an element.
__device__ float normal_cdf(float x) { return 0.5f * erfcf(-0.70710678f * x); }

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put,
                              int n, float rate, float volatility) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float deviation = volatility * sqrtf(years[i]);
  const float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
  const float d2 = d1 - deviation;
  const float discounted = strike[i] * expf(-rate * years[i]);
  call[i] = price[i] * normal_cdf(d1) - discounted * normal_cdf(d2);
  put[i] = discounted * normal_cdf(-d2) - price[i] * normal_cdf(-d1);
}
