#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cpu {

/// An argument of a kernel: memory that it may change, or a number.
struct SuiteValue {
  template <class T>
  SuiteValue(std::vector<T>& memory) : address(memory.data()) {}
  SuiteValue(int number) : bits(static_cast<std::uint32_t>(number)), type(dtype::kInt32) {}
  SuiteValue(float number) : bits(std::bit_cast<std::uint32_t>(number)), type(dtype::kFloat32) {}
  void* address = nullptr;
  std::uint64_t bits = 0;
  DType type{};
};

/// CUDA kernels of one source, called as public suites do: from the host, repeatedly, on plain memory.
class SuiteKernels : public testing::TestWithParam<const char*> {
 protected:
  struct Shape {
    std::vector<int> grid = {1};
    std::vector<int> block = {32};
    int dynamic_bytes = 0;
  };

  /// Runs kernel `name` of `source_`, compiled once for each block.
  void launch(const std::string& name, const Shape& shape, const std::vector<SuiteValue>& values) {
    std::string key = name;
    for (const int extent : shape.block) key += " " + std::to_string(extent);
    auto found = kernels_.find(key);
    if (found == kernels_.end()) {
      auto loaded = common_bench().load(program(name, shape, values), {{"tier", GetParam()}});
      ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
      found = kernels_.emplace(key, std::move(*loaded)).first;
    }
    std::vector<kmux_slot> slots;
    for (const SuiteValue& value : values) slots.push_back(value.address ? slot(value.address) : bits(value.bits));
    for (std::size_t i = 0; i < 3; ++i) slots.push_back(slot(std::int64_t{i < shape.grid.size() ? shape.grid[i] : 1}));
    slots.push_back(slot(std::int64_t{shape.dynamic_bytes}));
    const Status done = found->second(slots);
    ASSERT_TRUE(done.ok()) << done.error().explain();
  }

  std::vector<float> floats(std::size_t count, float low = -1, float high = 1) {
    std::uniform_real_distribution<float> distribution(low, high);
    std::vector<float> values(count);
    for (float& value : values) value = distribution(random_);
    return values;
  }
  std::vector<int> integers(std::size_t count, int low, int high) {
    std::uniform_int_distribution<int> distribution(low, high);
    std::vector<int> values(count);
    for (int& value : values) value = distribution(random_);
    return values;
  }
  /// Expects every element within `tolerance`, relative to values above 1.
  template <class T, class U>
  static void expect_near(const std::vector<T>& actual, const std::vector<U>& expected, double tolerance = 1e-4) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(static_cast<double>(expected[i])))) << i;
  }

  std::string source_;

 private:
  Program program(const std::string& name, const Shape& shape, const std::vector<SuiteValue>& values) const {
    ProgramBuilder builder("suite");
    std::vector<std::string> names;
    for (const SuiteValue& value : values) {
      names.push_back("p" + std::to_string(names.size()));
      if (value.address)
        builder.pointer(names.back());
      else
        builder.scalar(names.back(), value.type);
    }
    std::vector<Expr> grid;
    for (const char* axis : {"x", "y", "z"}) grid.push_back(builder.scalar(axis, dtype::kInt64));
    const Expr dynamic_bytes = builder.scalar("dynamic_bytes", dtype::kInt64);
    builder.variant("cuda").source("suite.cu", source_);
    std::vector<Expr> block(shape.block.begin(), shape.block.end());
    LaunchBuilder launch = builder.launch(name);
    launch.grid(grid).block(block).dynamic_smem_bytes(dynamic_bytes);
    for (const std::string& parameter : names) launch.args({parameter});
    return builder.build().value();
  }

  std::map<std::string, LoadedKernel> kernels_;
  std::mt19937 random_{2024};
};

}  // namespace kmux::cpu
