#include "call_programs.h"

#include "kmux/builder.h"

namespace kmux::bench {
namespace {

constexpr const char* kAdd = R"(
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
)";

constexpr const char* kTouch = R"(
struct alignas(64) Map { char bytes[128]; };
extern "C" __global__ void touch(const __grid_constant__ Map a, const __grid_constant__ Map b,
                                 const __grid_constant__ Map c) {}
)";

constexpr const char* kStep = R"(
extern "C" __global__ void step(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 1;
}
)";

ProgramBuilder vectors(const char* name) {
  ProgramBuilder builder(name);
  const Expr n = builder.symbol("n");
  builder.input("a", dtype::kFloat32, {n}).input("b", dtype::kFloat32, {n}).output("c", dtype::kFloat32, {n});
  builder.variant("cuda").source("add.cu", kAdd);
  return builder;
}

LaunchBuilder launch_add(ProgramBuilder& builder) {
  const Expr n = Expr::symbol("n");
  return builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"a", "b", "c"}).arg(n);
}

}  // namespace

Program add_program() {
  ProgramBuilder builder = vectors("add");
  launch_add(builder);
  return builder.build().value();
}

Program window_program() {
  ProgramBuilder builder = vectors("add_with_window");
  launch_add(builder).l2_window("a", Expr::symbol("n") * 4);
  return builder.build().value();
}

Program maps_program() {
  ProgramBuilder builder("touch");
  for (const char* const name : {"a", "b", "c"}) builder.input(name, dtype::kFloat32, {64, 64});
  builder.variant("cuda").source("touch.cu", kTouch);
  for (const char* const name : {"a", "b", "c"}) {
    TensorMap map{.name = std::string(name) + "_map", .base = {name}, .dims = {64, 64}, .strides_bytes = {256}};
    map.mode = TiledMap{{32, 32}};
    builder.tensor_map(map);
  }
  builder.launch("touch").grid({1}).block({32}).args({"a_map", "b_map", "c_map"});
  return builder.build().value();
}

Program pair_program() {
  ProgramBuilder builder("pair");
  const Expr n = builder.symbol("n");
  builder.buffer("y", BufferParam{dtype::kFloat32, {n}}).variant("cuda").source("step.cu", kStep);
  for (int i = 0; i < 2; ++i) builder.launch("step").grid({ceildiv(n, 128)}).block({128}).args({"y"}).arg(n);
  return builder.build().value();
}

}  // namespace kmux::bench
