#include "suite.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kmux/bench/comparison.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "tests/needs.h"

namespace kmux::suite {

Settings& settings() {
  static Settings settings;
  return settings;
}

void DeviceSuite::SetUp() {
  if (!settings().rehearsal) return;
  const auto plugin = Runtime::default_runtime().value()->registry().plugin(GetParam()).value();
  const Availability& can_build = plugin->probe().value().can_build;
  if (!can_build.ok()) GTEST_SKIP() << needs(compiler_of(GetParam()), can_build.reason);
}

Result<Kernel> DeviceSuite::try_compile(const Program& program, CompileOptions options) const {
  options.execution_backend = GetParam();
  options.include_dirs.insert(options.include_dirs.end(), settings().headers.begin(), settings().headers.end());
  return compile(program, options);
}

Kernel DeviceSuite::compiled(const Program& program, CompileOptions options) const {
  return try_compile(program, std::move(options)).value();
}

Kernel DeviceSuite::compiled(const ProgramBuilder& builder, CompileOptions options) const {
  return compiled(builder.build().value(), std::move(options));
}

void DeviceSuite::run(const Kernel& kernel, std::initializer_list<Arg> args, StreamRef stream) {
  kernel.launch(args, stream).value();
  Stream::borrow(kernel.device(), stream.handle).synchronize().value();
}

void DeviceSuite::expect_numbers(const Tensor& actual, const Numbers& expected, double tolerance) {
  const Numbers numbers = downloaded(actual);
  ASSERT_EQ(numbers.size(), expected.size());
  if (settings().rehearsal) return;
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    const bool both_nan = std::isnan(numbers[i]) && std::isnan(expected[i]);
    if (both_nan || std::abs(numbers[i] - expected[i]) <= tolerance * std::max(1.0, std::abs(expected[i]))) continue;
    ++wrong;
    first = i;
  }
  EXPECT_EQ(wrong, 0U) << "of " << numbers.size() << " elements; the first is number " << first << ": "
                       << (wrong == 0 ? 0 : numbers[first]) << ", expected " << (wrong == 0 ? 0 : expected[first]);
}

Tensor poisoned(const Kernel& kernel, Shape shape, DType type) {
  const Tensor host = Tensor::empty(std::move(shape), type).value();
  std::fill_n(host.data_as<unsigned char>(), host.byte_count(), static_cast<unsigned char>(0xA5));
  return host.to(kernel.device()).value();
}

Tensor uploaded(const Kernel& kernel, Shape shape, DType type, const Numbers& numbers) {
  const Tensor host = Tensor::empty(std::move(shape), type).value();
  for (std::size_t i = 0; i < numbers.size(); ++i) bench::set_element(host, static_cast<std::int64_t>(i), numbers[i]);
  return host.to(kernel.device()).value();
}

Numbers downloaded(const Tensor& tensor) {
  const Tensor host = tensor.to(Device{}).value();
  Numbers numbers;
  for (std::int64_t i = 0; i < host.element_count(); ++i) numbers.push_back(bench::element(host, i));
  return numbers;
}

Numbers random_numbers(std::int64_t count) {
  static std::mt19937 bits(std::random_device{}());
  Numbers numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = (static_cast<double>(bits() % 513) - 256) / 256;
  return numbers;
}

Numbers counted(std::int64_t count, double begin) {
  Numbers numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = begin++;
  return numbers;
}

Numbers matrix_product(const Numbers& a, const Numbers& b, std::int64_t m, std::int64_t k, std::int64_t n) {
  Numbers c(static_cast<std::size_t>(m * n), 0.0);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  return c;
}

}  // namespace kmux::suite
