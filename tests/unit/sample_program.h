#pragma once

#include "kmux/dispatch.h"

namespace kmux {

/// Returns a valid program that uses most of the IR: C[m,n] = s * A[m,k] @ B[k,n] in a cuda variant with maps, a
/// workspace, a guard and a loop, and in a c variant.
inline Program sample_program() {
  const Expr m = Expr::symbol("m"), k = Expr::symbol("k"), n = Expr::symbol("n"), tiles = Expr::symbol("tiles");
  Program program{.name = "gemm"};
  program.signature.params = {{"A", BufferParam{.dtype = dtype::kFloat16, .shape = {m, k}}},
                              {"B", BufferParam{.dtype = dtype::kFloat16, .shape = {k, n}, .alignment_bytes = 16}},
                              {"bias", BufferParam{.dtype = dtype::kFloat32, .shape = {n}, .nullable = true}},
                              {"C", BufferParam{.dtype = dtype::kFloat32, .shape = {m, n}}},
                              {"s", ScalarParam{dtype::kFloat32}},
                              {"splits", ScalarParam{dtype::kInt32}},
                              {"p", PointerParam{}}};
  program.signature.outputs = {"C"};
  program.signature.symbols = {{"m"}, {"k", dtype::kInt32}, {"n"}};

  Variant cuda{.dialect = "cuda", .requirements = {.arch = {"sm_90a"}, .features = {"tma"}}};
  cuda.settings = {.standard = "c++17", .defines = {"TILE=128"}, .preludes = {"cuda_fp16.h"}, .fast_math = true};
  cuda.sources = {{"gemm.cu", "// kernels"}};
  cuda.headers = {{"include/tile.h", "// tile"}};
  cuda.body.lets = {{"tiles", ceildiv(m, 128)}, {"rows", tiles * 128}};
  cuda.body.asserts = {{eq(floormod(k, 64), 0), "k is a multiple of 64"}};
  cuda.body.workspaces = {{"partial", m * n * 4}};
  cuda.body.tensor_maps = {{.name = "A_desc",
                            .dtype = TensorMapDType::kFloat16,
                            .base = {"A"},
                            .dims = {k, m},
                            .strides_bytes = {k * 2},
                            .mode = TiledMap{{64, 128}},
                            .swizzle = Swizzle::k128B}};
  const Launch main{.kernel = "gemm_main<128, float>",
                    .args = {TensorMapArg{"A_desc"}, TensorArg{"B"}, WorkspaceArg{"partial"}, ScalarArg{"s"},
                             ExprArg{k}, ExprArg{Expr::symbol("i"), dtype::kInt64}},
                    .grid = {tiles, ceildiv(n, 128)},
                    .block = {128},
                    .cluster = {2},
                    .dynamic_smem_bytes = 98304,
                    .programmatic_serialization = true,
                    .l2_windows = {{"B", k * n * 2, 0.5}}};
  const Launch reduce{.kernel = "reduce", .args = {WorkspaceArg{"partial"}, TensorArg{"C"}}, .grid = {tiles}};
  cuda.body.steps = {Fill{{"partial"}, m * n * 4}, For{"i", 0, Expr::symbol("splits"), {main}},
                     If{Expr::symbol("splits") > 1, {reduce}, {}}};

  Variant c{.dialect = "c", .sources = {{"gemm.c", "// host"}}};
  c.body.steps = {Launch{.kernel = "gemm_host",
                         .args = {TensorArg{"A"}, TensorArg{"B"}, TensorArg{"C"}, ScalarArg{"s"}, ExprArg{m},
                                  ExprArg{k}, ExprArg{n, dtype::kInt64}},
                         .returns = CallResult::kInt32}};
  program.variants = {cuda, c};
  program.metadata = {
      .description = "scaled GEMM", .symbols = {{"m", 256}}, .scalars = {{"s", 0.5}}, .flops = m * n * k * 2};
  return program;
}

inline BufferParam& buffer_of(Program& program, std::size_t param) {
  return std::get<BufferParam>(program.signature.params[param].kind);
}
inline Launch& launch_of(Program& program, std::size_t variant) {
  std::vector<Step>& steps = program.variants[variant].body.steps;
  return variant == 0 ? std::get<Launch>(std::get<For>(steps[1]).steps[0]) : std::get<Launch>(steps[0]);
}

}  // namespace kmux
