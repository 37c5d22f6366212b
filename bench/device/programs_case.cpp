// CUDA programs that TileLang generated (tests/data/tilelang), against references computed here in double.
#include <algorithm>
#include <cmath>

#include "kmux/program.h"

#include "suite.h"

namespace kmux::suite {
namespace {

class Programs : public DeviceSuite {
 protected:
  Kernel program(const std::string& name, Options options = {}) const {
    const auto path = settings().programs / name / (name + ".kmux.json");
    return compiled(load_program(path).value(), {.options = std::move(options)});
  }
};
INSTANTIATE_TEST_SUITE_P(On, Programs, kBackends, [](const auto& backend) { return std::string(backend.param); });

constexpr double kFloatTolerance = 1e-5;
constexpr double kHalfTolerance = 2e-3;

template <class Function>
Numbers each(const Numbers& numbers, const Function& function) {
  Numbers out;
  for (const double number : numbers) out.push_back(function(number));
  return out;
}

TEST_P(Programs, AddTiles) {
  const Kernel kernel = program("add_tiles");
  const Numbers a = random_numbers(65536), b = random_numbers(65536);
  const Tensor c = poisoned(kernel, {65536}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {65536}, dtype::kFloat32, a), uploaded(kernel, {65536}, dtype::kFloat32, b), c});
  Numbers expected;
  for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] + b[i]);
  expect_numbers(c, expected);
}

TEST_P(Programs, AddAnywhere) {
  const Kernel kernel = program("add_anywhere");
  for (const std::int64_t n : {1, 1023, 1025, 4096, 100000}) {
    const Numbers a = random_numbers(n), b = random_numbers(n);
    const Tensor c = poisoned(kernel, {n}, dtype::kFloat32);
    run(kernel, {uploaded(kernel, {n}, dtype::kFloat32, a), uploaded(kernel, {n}, dtype::kFloat32, b), c});
    Numbers expected;
    for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] + b[i]);
    expect_numbers(c, expected);
  }
}

TEST_P(Programs, AffineTiles) {
  const Kernel kernel = program("affine_tiles");
  for (const std::int64_t n : {1, 1000, 100000}) {
    const Numbers x = random_numbers(n);
    const Tensor y = poisoned(kernel, {n}, dtype::kFloat32);
    run(kernel, {uploaded(kernel, {n}, dtype::kFloat32, x), y, 1.5, -3});
    expect_numbers(y, each(x, [](double value) { return 1.5 * value - 3; }), kFloatTolerance);
  }
}

TEST_P(Programs, ColumnSums) {
  const Kernel kernel = program("column_sums");
  for (const std::int64_t m : {1, 64, 1000}) {
    const Numbers x = random_numbers(m * 256);
    const Tensor total = poisoned(kernel, {256}, dtype::kFloat32);
    run(kernel, {uploaded(kernel, {m, 256}, dtype::kFloat32, x), total});
    Numbers expected(256, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) expected[i % 256] += x[i];
    expect_numbers(total, expected, 1e-4);
  }
}

// Half-precision factors, single-precision sums.
void check_product(const Kernel& kernel, std::int64_t m, std::int64_t k, std::int64_t n, const auto& check) {
  const Numbers a = random_numbers(m * k), b = random_numbers(k * n);
  const Tensor c = poisoned(kernel, {m, n}, dtype::kFloat32);
  check(uploaded(kernel, {m, k}, dtype::kFloat16, a), uploaded(kernel, {k, n}, dtype::kFloat16, b), c,
        settings().rehearsal ? Numbers(static_cast<std::size_t>(m * n)) : matrix_product(a, b, m, k, n));
}

#define KMUX_CHECK_PRODUCT(kernel, m, k, n)                                                                       \
  check_product(kernel, m, k, n, [&](const Tensor& a, const Tensor& b, const Tensor& c, const Numbers& numbers) { \
    run(kernel, {a, b, c});                                                                                       \
    expect_numbers(c, numbers, 1e-3);                                                                             \
  })

TEST_P(Programs, GemmF16) {
  const Kernel kernel = program("gemm_f16");
  KMUX_CHECK_PRODUCT(kernel, 1024, 1024, 1024);
}

TEST_P(Programs, GemmF16Cluster) {
  const Kernel kernel = program("gemm_f16_cluster");
  KMUX_CHECK_PRODUCT(kernel, 1024, 512, 1024);
}

TEST_P(Programs, GemmF16Dynamic) {
  const Kernel kernel = program("gemm_f16_dynamic");
  KMUX_CHECK_PRODUCT(kernel, 1000, 1024, 1016);
  KMUX_CHECK_PRODUCT(kernel, 1, 64, 8);
  KMUX_CHECK_PRODUCT(kernel, 129, 200, 264);
  KMUX_CHECK_PRODUCT(kernel, 1000, 1024, 1016);
}

TEST_P(Programs, GemmF16Split) {
  for (const char* const graph : {"off", "on"}) {
    const Kernel kernel = program("gemm_f16_split", {{"graph", graph}});
    KMUX_CHECK_PRODUCT(kernel, 100, 4096, 256);
    KMUX_CHECK_PRODUCT(kernel, 1, 4096, 256);
    KMUX_CHECK_PRODUCT(kernel, 300, 4096, 256);
  }
}

constexpr std::int64_t kLength = 1024, kHeads = 8, kWidth = 64;

// O = softmax(Q K^T / sqrt(width)) V, for one head of (position, head, width).
void attend(const Numbers& q, const Numbers& k, const Numbers& v, std::int64_t head, Numbers& o) {
  const auto at = [&](std::int64_t position, std::int64_t d) { return (position * kHeads + head) * kWidth + d; };
  Numbers weights(kLength);
  for (std::int64_t i = 0; i < kLength; ++i) {
    for (std::int64_t j = 0; j < kLength; ++j) {
      weights[j] = 0;
      for (std::int64_t d = 0; d < kWidth; ++d) weights[j] += q[at(i, d)] * k[at(j, d)] / std::sqrt(double{kWidth});
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    double total = 0;
    for (double& weight : weights) total += weight = std::exp(weight - largest);
    for (std::int64_t j = 0; j < kLength; ++j)
      for (std::int64_t d = 0; d < kWidth; ++d) o[at(i, d)] += weights[j] / total * v[at(j, d)];
  }
}

TEST_P(Programs, FlashAttention) {
  const Kernel kernel = program("flash_attention");
  const Shape shape = {1, kLength, kHeads, kWidth};
  const std::int64_t count = kLength * kHeads * kWidth;
  const Numbers q = random_numbers(count), k = random_numbers(count), v = random_numbers(count);
  const Tensor o = poisoned(kernel, shape, dtype::kFloat16);
  const auto half = [&](const Numbers& numbers) { return uploaded(kernel, shape, dtype::kFloat16, numbers); };
  run(kernel, {half(q), half(k), half(v), o});
  Numbers expected(static_cast<std::size_t>(count), 0.0);
  for (std::int64_t head = 0; head < kHeads && !settings().rehearsal; ++head) attend(q, k, v, head, expected);
  expect_numbers(o, expected, kHalfTolerance);
}

// Channels last, 3 x 3, zero-padded.
double convolved(const Numbers& image, const Numbers& weights, const Shape& at) {
  double sum = 0;
  for (std::int64_t dy = 0; dy < 3; ++dy)
    for (std::int64_t dx = 0; dx < 3; ++dx) {
      const std::int64_t y = at[1] + dy - 1, x = at[2] + dx - 1;
      if (y < 0 || y >= 32 || x < 0 || x >= 32) continue;
      for (std::int64_t c = 0; c < 64; ++c)
        sum += image[((at[0] * 32 + y) * 32 + x) * 64 + c] * weights[((dy * 3 + dx) * 64 + c) * 128 + at[3]];
    }
  return sum;
}

TEST_P(Programs, Conv2d) {
  const Kernel kernel = program("conv2d");
  const Numbers image = random_numbers(4 * 32 * 32 * 64), weights = random_numbers(3 * 3 * 64 * 128);
  const Tensor out = poisoned(kernel, {4, 32, 32, 128}, dtype::kFloat16);
  run(kernel, {uploaded(kernel, {4, 32, 32, 64}, dtype::kFloat16, image),
               uploaded(kernel, {3, 3, 64, 128}, dtype::kFloat16, weights), out});
  Numbers expected(4 * 32 * 32 * 128, 0.0);
  for (std::int64_t i = 0; i < std::int64_t(expected.size()) && !settings().rehearsal; ++i)
    expected[i] = convolved(image, weights, {i / (32 * 32 * 128), i / (32 * 128) % 32, i / 128 % 32, i % 128});
  expect_numbers(out, expected, kHalfTolerance);
}

TEST_P(Programs, LookUp) {
  const Kernel kernel = program("look_up");
  constexpr std::int64_t kTable = 1048576;
  const Numbers table = random_numbers(kTable);
  for (const std::int64_t n : {1, 1000000}) {
    Numbers index, expected;
    for (std::int64_t i = 0; i < n; ++i) {
      index.push_back(static_cast<double>(i * 7919 % kTable));
      expected.push_back(table[static_cast<std::size_t>(index.back())]);
    }
    const Tensor y = poisoned(kernel, {n}, dtype::kFloat32);
    run(kernel, {uploaded(kernel, {kTable}, dtype::kFloat32, table), uploaded(kernel, {n}, dtype::kInt32, index), y});
    expect_numbers(y, expected);
  }
}

TEST_P(Programs, Overlap) {
  const Kernel kernel = program("overlap");
  const Numbers x = random_numbers(65536);
  const Tensor middle = poisoned(kernel, {65536}, dtype::kFloat32), y = poisoned(kernel, {65536}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {65536}, dtype::kFloat32, x), middle, y});
  expect_numbers(y, each(x, [](double value) { return 2 * (value + 1); }), kFloatTolerance);
}

// Returns the sum of each element and the next; the last is added to the first.
Numbers with_neighbours(const Numbers& x) {
  Numbers sums;
  for (std::size_t i = 0; i < x.size(); ++i) sums.push_back(x[i] + x[(i + 1) % x.size()]);
  return sums;
}

TEST_P(Programs, GridBarrier) {
  const Kernel kernel = program("grid_barrier");
  const Numbers x = random_numbers(4096);
  const Tensor middle = poisoned(kernel, {4096}, dtype::kFloat32), y = poisoned(kernel, {4096}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {4096}, dtype::kFloat32, x), middle, y});
  expect_numbers(middle, with_neighbours(x), kFloatTolerance);
  expect_numbers(y, with_neighbours(with_neighbours(x)), kFloatTolerance);
}

Numbers relaxed(const Numbers& x) {
  Numbers y;
  for (std::size_t i = 0, n = x.size(); i < n; ++i)
    y.push_back(x[i] + (x[(i + n - 1) % n] - 2 * x[i] + x[(i + 1) % n]) / 4);
  return y;
}

TEST_P(Programs, Relax) {
  const Kernel kernel = program("relax");
  for (const bool flip : {true, false}) {
    Numbers numbers = random_numbers(4096);
    const Tensor x = uploaded(kernel, {4096}, dtype::kFloat32, numbers);
    run(kernel, {x, 10, flip});
    for (int step = 0; step < 20; ++step) numbers = relaxed(numbers);
    if (flip) numbers = each(numbers, [](double value) { return -value; });
    expect_numbers(x, numbers, kFloatTolerance);
  }
}

}  // namespace
}  // namespace kmux::suite
