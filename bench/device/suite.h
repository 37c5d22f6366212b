#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

namespace kmux::suite {

/// The settings of the command line.
struct Settings {
  std::filesystem::path programs;           // tests/data/tilelang
  std::vector<std::string> headers;         // folders with the headers of those programs
  std::filesystem::path modules;            // Python modules for TileLang's CuTe DSL code; empty: missing
  bool rehearsal = false;                   // over a driver that computes nothing: results are not compared
};
Settings& settings();

/// A case that runs once for each backend of NVIDIA's devices, by the backend's name.
class DeviceSuite : public ::testing::TestWithParam<const char*> {
 protected:
  /// Skips in a rehearsal if the compiler is missing.
  void SetUp() override;

  /// Returns the kernel of `program` for the backend of this case on device 0. Throws the whole error if it cannot be
  /// compiled.
  Kernel compiled(const Program& program, CompileOptions options = {}) const;
  Kernel compiled(const ProgramBuilder& builder, CompileOptions options = {}) const;
  Result<Kernel> try_compile(const Program& program, CompileOptions options = {}) const;

  /// Launches and waits. Throws if either fails.
  static void run(const Kernel& kernel, std::initializer_list<Arg> args, StreamRef stream = {});

  /// Compares a tensor of a device with numbers: |actual - expected| <= tolerance * max(1, |expected|).
  static void expect_numbers(const Tensor& actual, const std::vector<double>& expected, double tolerance = 0);
};

/// The backends in the order of their cases.
inline const auto kBackends = ::testing::Values("nvrtc", "cuda");

/// Declares a group of cases.
#define KMUX_DEVICE_SUITE(Group)       \
  class Group : public DeviceSuite {}; \
  INSTANTIATE_TEST_SUITE_P(On, Group, kBackends, [](const auto& backend) { return std::string(backend.param); })

using Shape = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// Returns a tensor on the device of `kernel` whose bytes are all 0xA5, so that unwritten bytes are visible.
Tensor poisoned(const Kernel& kernel, Shape shape, DType type);
/// Returns a tensor on the device of `kernel` with these numbers, rounded to `type`.
Tensor uploaded(const Kernel& kernel, Shape shape, DType type, const Numbers& numbers);
/// Returns the elements of a tensor as numbers.
Numbers downloaded(const Tensor& tensor);

/// Returns `count` multiples of 1/256 in -1..1, which halves hold exactly; each call returns others.
Numbers random_numbers(std::int64_t count);
/// Returns begin, begin + 1, ...
Numbers counted(std::int64_t count, double begin = 0);

/// Returns the product of an m x k and a k x n matrix.
Numbers matrix_product(const Numbers& a, const Numbers& b, std::int64_t m, std::int64_t k, std::int64_t n);

}  // namespace kmux::suite
