// Builds a program in C++, without JSON: one GEMM for two dialects, with a shape that is known only at the call.
#include <cstdio>

#include "kmux/builder.h"
#include "kmux/dispatch_json.h"

namespace {

// The kernels themselves matter little here: see docs/dispatch-ir.md for the parts of a program.
constexpr const char* kCuda = R"(extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n,
                                                int k) { /* tiles of 128 x 128 in dynamic shared memory */ })";
constexpr const char* kC = R"(void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
})";

// [build_gemm.begin]
kmux::Result<kmux::Program> build_gemm() {
  kmux::ProgramBuilder builder("gemm");
  const kmux::Expr m = builder.symbol("m", kmux::dtype::kInt32);
  const kmux::Expr n = builder.symbol("n", kmux::dtype::kInt32);
  const kmux::Expr k = builder.symbol("k", kmux::dtype::kInt32);
  builder.input("a", kmux::dtype::kFloat32, {m, k});
  builder.input("b", kmux::dtype::kFloat32, {k, n});
  builder.output("c", kmux::dtype::kFloat32, {m, n});

  builder.variant("cuda").source("gemm.cu", kCuda);
  builder.check(eq(floormod(k, 32), 0), "k is a multiple of 32");
  builder.launch("gemm")
      .grid({ceildiv(n, 128), ceildiv(m, 128)})
      .block({16, 16})
      .dynamic_smem_bytes(2 * 128 * 32 * 4)
      .args({"a", "b", "c", "m", "n", "k"});

  builder.variant("c").source("gemm.c", kC);
  builder.launch("gemm").args({"a", "b", "c", "m", "n", "k"});

  builder.metadata({.reference = "c = a @ b", .symbols = {{"m", 512}, {"n", 512}, {"k", 512}}, .flops = m * n * k * 2});
  return builder.build();
}
// [build_gemm.end]

}  // namespace

int main() {
  const kmux::Result<kmux::Program> program = build_gemm();
  if (!program) {
    std::fprintf(stderr, "%s\n", program.error().explain().c_str());
    return 1;
  }
  std::fputs(kmux::to_pretty_json(*program).c_str(), stdout);
  return 0;
}
