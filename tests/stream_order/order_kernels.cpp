#include "order_kernels.h"

#include <algorithm>
#include <cstring>

#include "kmux/builder.h"

namespace kmux::order {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void fill(float* y, float v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = v;
}
extern "C" __global__ void add(float* y, const float* x, float v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + v;
}
extern "C" __global__ void copy(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)";

struct Declared {
  ProgramBuilder builder;
  Expr n;
};

Declared declare(const std::string& name, bool reads) {
  Declared declared{ProgramBuilder(name), {}};
  declared.n = declared.builder.symbol("n", dtype::kInt32);
  if (reads) declared.builder.buffer("x", BufferParam{dtype::kFloat32, {declared.n}});
  if (reads)
    declared.builder.output("y", dtype::kFloat32, {declared.n});
  else
    declared.builder.buffer("y", BufferParam{dtype::kFloat32, {declared.n}});
  declared.builder.scalar("v", dtype::kFloat32);
  declared.builder.variant("cuda").source("order.cu", kSource);
  return declared;
}

LaunchBuilder over_all(Declared& declared, const char* kernel) {
  return declared.builder.launch(kernel).grid({ceildiv(declared.n, 64)}).block({64});
}

Result<Program> fill_program() {
  Declared program = declare("fill", false);
  over_all(program, "fill").args({"y", "v", "n"});
  return program.builder.build();
}

Result<Program> add_program() {
  Declared program = declare("add", true);
  over_all(program, "add").args({"y", "x", "v", "n"});
  return program.builder.build();
}

Result<Program> through_program() {
  Declared program = declare("through", true);
  program.builder.workspace("w", program.n * 4);
  over_all(program, "add").args({"w", "x", "v", "n"});
  over_all(program, "copy").args({"y", "w", "n"});
  return program.builder.build();
}

template <class T>
T argument(const fake_cuda::KernelRun& launch, int index) {
  T value{};
  std::memcpy(&value, launch.args[index], sizeof value);
  return value;
}

}  // namespace

Result<OrderKernels> OrderKernels::compile(Runtime& runtime, const std::string& backend) {
  const bool is_hip = backend == "hip";
  const CompileOptions plain{.target = is_hip ? "hip" : "cuda:sm_90a", .execution_backend = backend};
  CompileOptions replayed = plain;
  if (!is_hip) replayed.options["graph"] = "on";
  const auto compiled = [&](Result<Program> program, const CompileOptions& options) -> Result<Kernel> {
    if (!program) return std::move(program).error();
    return kmux::compile(runtime, *program, options);
  };
  KMUX_ASSIGN(Kernel fill, compiled(fill_program(), plain));
  KMUX_ASSIGN(Kernel add, compiled(add_program(), plain));
  KMUX_ASSIGN(Kernel through, compiled(through_program(), plain));
  KMUX_ASSIGN(Kernel graph, compiled(through_program(), replayed));
  return OrderKernels{std::move(fill), std::move(add), std::move(through), std::move(graph)};
}

void run(const fake_cuda::KernelRun& launch) {
  auto* const y = argument<float*>(launch, 0);
  if (launch.kernel == "fill") {
    std::fill_n(y, argument<int>(launch, 2), argument<float>(launch, 1));
    return;
  }
  const bool adds = launch.kernel == "add";
  const auto* const x = argument<const float*>(launch, 1);
  const float v = adds ? argument<float>(launch, 2) : 0;
  const int n = argument<int>(launch, adds ? 3 : 2);
  for (int i = 0; i < n; ++i) y[i] = x[i] + v;
}

}  // namespace kmux::order
