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

/// What the command line said.
struct Settings {
  std::filesystem::path programs;           // tests/data/tilelang
  std::vector<std::string> headers;         // folders with what those programs include
  std::filesystem::path modules;            // Python's, of what TileLang writes for CuTe DSL; empty: not there
  bool rehearsal = false;                   // over a driver that computes nothing: results are not compared
};
Settings& settings();

/// A case that runs once for each backend of NVIDIA's devices, by the backend's name.
class DeviceSuite : public ::testing::TestWithParam<const char*> {
 protected:
  /// In a rehearsal, skips where there is no compiler.
  void SetUp() override;

  /// `program` for the backend of this case on device 0; throws with the whole error if it cannot be had.
  Kernel compiled(const Program& program, CompileOptions options = {}) const;
  Kernel compiled(const ProgramBuilder& builder, CompileOptions options = {}) const;
  Result<Kernel> try_compile(const Program& program, CompileOptions options = {}) const;

  /// Launches and waits; throws if that fails.
  static void run(const Kernel& kernel, std::initializer_list<Arg> args, StreamRef stream = {});

  /// Compares a tensor of a device with numbers: |actual - expected| <= tolerance * max(1, |expected|).
  static void expect_numbers(const Tensor& actual, const std::vector<double>& expected, double tolerance = 0);
};

/// Backends in the order in which the cases run.
inline const auto kBackends = ::testing::Values("nvrtc", "cuda");

/// Declares a group of cases.
#define KMUX_DEVICE_SUITE(Group)       \
  class Group : public DeviceSuite {}; \
  INSTANTIATE_TEST_SUITE_P(On, Group, kBackends, [](const auto& backend) { return std::string(backend.param); })

using Shape = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// A tensor on the device of `kernel`, every byte of which is 0xA5: what is not written shows.
Tensor poisoned(const Kernel& kernel, Shape shape, DType type);
/// A tensor on the device of `kernel` with these numbers, rounded to `type`.
Tensor uploaded(const Kernel& kernel, Shape shape, DType type, const Numbers& numbers);
/// The elements of a tensor as numbers.
Numbers downloaded(const Tensor& tensor);

/// `count` numbers of -1..1, of two binary digits or more, so that halves hold them; others at each call.
Numbers random_numbers(std::int64_t count);
/// begin, begin + 1, ...
Numbers counted(std::int64_t count, double begin = 0);

/// The product of an m x k and a k x n matrix.
Numbers matrix_product(const Numbers& a, const Numbers& b, std::int64_t m, std::int64_t k, std::int64_t n);

}  // namespace kmux::suite
