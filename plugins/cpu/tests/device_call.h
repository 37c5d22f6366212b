#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cpu {

/// A kernel `k(const I* x, O* y, int n)` of dialect cuda or hip, with one thread for each of the n elements.
struct ElementKernel {
  std::string source;
  unsigned block = 64;
  std::string dialect = "cuda";
  std::string name = "k";
  Settings settings = {};
};

/// Builds and runs `kernel` over `count` elements at `x` and `y`.
inline Status run_elements(const ElementKernel& kernel, const std::string& tier, const void* x, void* y,
                           std::size_t count) {
  ProgramBuilder builder("sample");
  builder.pointer("x").pointer("y");
  builder.scalar("n", dtype::kInt32);
  builder.variant(kernel.dialect).source("k.cu", kernel.source).settings(kernel.settings);
  LaunchBuilder launch = builder.launch(kernel.name);
  launch.grid({Expr(static_cast<std::int64_t>((count + kernel.block - 1) / kernel.block))});
  launch.block({Expr(static_cast<std::int64_t>(kernel.block))}).args({"x", "y", "n"});
  KMUX_ASSIGN(const Program program, builder.build());
  KMUX_ASSIGN(LoadedKernel loaded, common_bench().load(program, {{"tier", tier}}));
  return loaded({slot(const_cast<void*>(x)), slot(y), slot(static_cast<std::int64_t>(count))});
}

/// Returns the kernel's output for `x`, which must have the same bytes in both tiers after `plain` has normalized
/// permitted differences. Returns none after a failure, which it reports to the test.
template <class O, class I>
std::vector<O> elements(const ElementKernel& kernel, const std::vector<I>& x,
                        const std::function<void(O&)>& plain = {}) {
  std::vector<O> results[2];
  for (int i = 0; i < 2; ++i) {
    results[i].resize(x.size());
    const Status status = run_elements(kernel, i == 0 ? "fast" : "full", x.data(), results[i].data(), x.size());
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().explain()) << "\n" << kernel.source;
    if (!status.ok()) return {};
    if (plain) std::ranges::for_each(results[i], plain);
  }
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), x.size() * sizeof(O)), 0) << "tiers differ";
  return results[1];
}

/// Returns the error of building and running the kernel over 64 floats.
inline Error device_failure(const ElementKernel& kernel) {
  const std::vector<float> x(64, 1);
  std::vector<float> y(64);
  const Status status = run_elements(kernel, "full", x.data(), y.data(), 64);
  return status.ok() ? make_error(ErrorCode::kOk, "it worked") : status.error();
}

}  // namespace kmux::cpu
