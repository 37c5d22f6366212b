#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/validate.h"

#include "backend.h"
#include "fake_host.h"
#include "needs.h"
#include "nvrtc_library.h"
#include "places.h"
#include "toolkit_host.h"

namespace kmux::nvrtc {

/// Wraps and builds programs as the runtime does, with the real NVRTC. Skips if it is missing.
class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto library = find_library(host); !library)
      GTEST_SKIP() << needs(compiler_of("nvrtc"), library.error().message);
  }

  Result<Artifact> build(const Program& program, Options options = {}, const std::string& target = "cuda:sm_90a") {
    return wrap_and_build(backend, program, std::move(options), target);
  }
  Error failure(const Program& program, Options options = {}, const std::string& target = "cuda:sm_90a") {
    auto artifact = build(program, std::move(options), target);
    return artifact ? make_error(ErrorCode::kOk, "it worked") : std::move(artifact).error();
  }

  /// Returns true if this NVRTC supports tier fast.
  bool has_fast_tier() { return NvrtcLibrary::open(find_library(host).value()).value()->is_at_least(12, 5); }

  ToolkitHost host;
  NvrtcBackend backend{host};
};

/// Returns a program with one float32 buffer "x" of n elements, and kernel `kernel` of `content` launched once with it.
inline ProgramBuilder one_kernel(const std::string& content, const std::string& kernel = "k") {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant("cuda").source("k.cu", content);
  builder.launch(kernel).grid({ceildiv(n, 256)}).block({256}).args({"x"});
  return builder;
}

inline constexpr const char* kAddOne = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] += 1; }\n";

}  // namespace kmux::nvrtc
