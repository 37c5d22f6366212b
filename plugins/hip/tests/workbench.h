#pragma once

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "backend.h"
#include "compiler_choice.h"
#include "fake_host.h"
#include "needs.h"

namespace kmux::hip {

/// Wraps and builds programs as the runtime does. `SetUp` skips if Clang or lld is missing.
class WithClang : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto clang = find_clang(host); !clang) GTEST_SKIP() << needs(compiler_of("hip"), clang.error().message);
    host.options["hip.engine"] = "clang";
  }

  Result<Artifact> build(const Program& program, Options options = {}, const std::string& target = "hip:gfx90a") {
    KMUX_ASSIGN(const Target resolved, backend.resolve_target(target, std::nullopt));
    const BuildRequest request{program, 0, resolved, std::move(options)};
    KMUX_ASSIGN(const std::string launcher, backend.wrapper().wrap(request));
    return backend.builder().build(request, launcher);
  }
  Error failure(const Program& program, Options options = {}, const std::string& target = "hip:gfx90a") {
    auto artifact = build(program, std::move(options), target);
    return artifact ? make_error(ErrorCode::kOk, "it worked") : std::move(artifact).error();
  }

  FakeHost host;
  HipBackend backend{host};
};

/// Returns a program with one float32 buffer "x" of n elements, and kernel `kernel` of `content` launched once with it
/// and n.
inline ProgramBuilder one_kernel(const std::string& content, const std::string& kernel = "k",
                                 const std::string& dialect = "hip") {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}}).variant(dialect).source("k.hip", content);
  builder.launch(kernel).grid({ceildiv(n, 256)}).block({256}).args({"x"}).arg(n, dtype::kInt32);
  return builder;
}

inline constexpr const char* kAddOne =
    "extern \"C\" __global__ void k(float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] += 1;\n"
    "}\n";

}  // namespace kmux::hip
