#include "reference.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace demo {

std::vector<double> matmul(std::span<const float> a, std::span<const float> b, MatmulShape shape) {
  std::vector<double> c(static_cast<std::size_t>(shape.m * shape.n), 0.0);
  for (std::int64_t i = 0; i < shape.m; ++i)
    for (std::int64_t p = 0; p < shape.k; ++p)
      for (std::int64_t j = 0; j < shape.n; ++j)
        c[i * shape.n + j] += static_cast<double>(a[i * shape.k + p]) * static_cast<double>(b[p * shape.n + j]);
  return c;
}

void naive_matmul(const float* a, const float* b, float* c, MatmulShape shape) {
  for (std::int64_t i = 0; i < shape.m; ++i)
    for (std::int64_t j = 0; j < shape.n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p) sum += a[i * shape.k + p] * b[p * shape.n + j];
      c[i * shape.n + j] = sum;
    }
}

std::vector<int> escape_counts(const Plane& plane) {
  std::vector<int> counts;
  counts.reserve(static_cast<std::size_t>(plane.height) * static_cast<std::size_t>(plane.width));
  for (int row = 0; row < plane.height; ++row)
    for (int column = 0; column < plane.width; ++column) {
      const float cx = plane.x + static_cast<float>(column) * plane.step;
      const float cy = plane.y + static_cast<float>(row) * plane.step;
      float x = 0, y = 0;
      int count = 0;
      for (; count < plane.limit && x * x + y * y < 4.0F; ++count) {
        const float next = x * x - y * y + cx;
        y = 2.0F * x * y + cy;
        x = next;
      }
      counts.push_back(count);
    }
  return counts;
}

double share_of_different(std::span<const int> actual, std::span<const int> expected) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) different += actual[i] != expected[i] ? 1 : 0;
  return static_cast<double>(different) / static_cast<double>(expected.size());
}

double largest_difference(std::span<const float> actual, std::span<const double> expected) {
  if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = std::abs(actual[i] - expected[i]) / std::max(1.0, std::abs(expected[i]));
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

double best_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kEnough{100};
  double best = std::numeric_limits<double>::infinity();
  for (const auto begin = Clock::now(); Clock::now() - begin < kEnough;) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace demo
