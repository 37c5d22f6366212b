// A kernel of its source and a text: "y = 1 3 5 7 9".
// [saxpy.begin]
#include <array>
#include <cstdio>

#include <kmux/kmux.hpp>

constexpr const char* kSource = R"(
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})";
constexpr const char* kText = R"(
kernel saxpy(a: f32, x: f32[n], y: inout f32[n])
  launch saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n))";

int main() try {
  const kmux::Kernel saxpy = kmux::kernel(kSource, kText).value();  // for the best backend that can run it here

  const auto on_device = [&](std::array<float, 5> values) {
    return kmux::Tensor::from<float>({5}, kmux::dtype::kFloat32, values).value().to(saxpy.device()).value();
  };
  const kmux::Tensor y = on_device({1, 1, 1, 1, 1});
  saxpy.launch({2.0F, on_device({0, 1, 2, 3, 4}), y}).value();
  const kmux::Tensor result = y.to({}).value();
  std::printf("y = %g .. %g on %s\n", result.data_as<float>()[0], result.data_as<float>()[4], saxpy.backend().c_str());
  return 0;
} catch (const kmux::Exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
// [saxpy.end]
