#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace demo {

/// Extents of C[m, n] = A[m, k] @ B[k, n]; all matrices are row-major.
struct MatmulShape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

/// The product in double precision: what results are compared with.
std::vector<double> matmul(std::span<const float> a, std::span<const float> b, MatmulShape shape);

/// The three loops that one writes first, in single precision: what speed is compared with.
void naive_matmul(const float* a, const float* b, float* c, MatmulShape shape);

/// Points of the complex plane, `step` apart from (x, y) on, and how often they are squared at most.
struct Plane {
  int height;
  int width;
  float x;
  float y;
  float step;
  int limit;
};

/// How often z = z * z + c goes before it leaves the circle of 2, for each point c: loops as one writes them for a processor.
std::vector<int> escape_counts(const Plane& plane);

/// The share of elements that are not the same, 0 to 1.
double share_of_different(std::span<const int> actual, std::span<const int> expected);

/// The largest |actual - expected| / max(1, |expected|); infinity if the sizes differ or a value is NaN.
double largest_difference(std::span<const float> actual, std::span<const double> expected);

/// The least time that one of many calls of `work` takes.
///
/// Units: seconds.
double best_seconds(const std::function<void()>& work);

}  // namespace demo
