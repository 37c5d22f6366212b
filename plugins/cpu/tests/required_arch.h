// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device_call.h"
#include "needs.h"

namespace kmux::cpu {

/// A kernel `k(const float* x, float* y, int n)` for sm_90a that reads the headers of TileLang and CUTLASS.
class RequiredArchTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder + "/tl_templates/cuda/common.h") ||
        !std::filesystem::exists(kFolder + "/cutlass/cutlass/cutlass.h"))
      GTEST_SKIP() << needs("TileLang's headers", KMUX_TEST_TILELANG_HEADERS "; ./kmux.sh test fetches them");
  }

  /// Returns the program of `source`, with `n` elements in blocks of `block` threads.
  static Program program_of(const std::string& source, std::size_t n, unsigned block, const std::string& kernel = "k",
                            const std::string& path = "k.cu") {
    ProgramBuilder builder("sample");
    builder.pointer("x").pointer("y");
    builder.scalar("n", dtype::kInt32);
    builder.variant("cuda").source(path, source).requires_arch("sm_90a");
    LaunchBuilder launch = builder.launch(kernel);
    launch.grid({Expr(static_cast<std::int64_t>((n + block - 1) / block))});
    launch.block({Expr(static_cast<std::int64_t>(block))}).args({"x", "y", "n"});
    return builder.build().value();
  }
  static Options options() { return {{"tier", "fast"}, {"include_dirs", kFolder + "\n" + kFolder + "/cutlass"}}; }
  /// Returns y for `x`, and nothing after a failure, which it reports to the test.
  static std::vector<float> run(const std::string& source, std::vector<float> x, unsigned block = 64) {
    auto loaded = common_bench().load(program_of(source, x.size(), block), options());
    std::vector<float> y(x.size());
    Status done = Ok{};
    if (loaded) done = (*loaded)({slot(x.data()), slot(y.data()), slot(static_cast<std::int64_t>(x.size()))});
    EXPECT_TRUE(loaded.ok() && done.ok()) << (loaded ? done.error() : loaded.error()).explain();
    return loaded && done ? y : std::vector<float>();
  }
  static Error failure(const Program& program) { return common_bench().failure(program, options()); }

  static inline const std::string kFolder = KMUX_TEST_TILELANG_HEADERS;
};

}  // namespace kmux::cpu
