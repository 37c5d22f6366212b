// Features of host programs: several kernels, guards, loops, lets, workspaces, fills.
#include <gmock/gmock.h>

#include "suite.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(Bodies);

constexpr const char* kKernels = R"(
extern "C" __global__ void scale(const float* x, float* y, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * by;
}
extern "C" __global__ void plus(float* y, int by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += by;
}
)";

// Declares x, y, a factor and n.
struct Vectors {
  explicit Vectors(const std::string& name) : builder(name), n(builder.symbol("n")) {
    builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n});
    builder.scalar("by", dtype::kFloat32);
    rounds = builder.scalar("rounds", dtype::kInt32);
    builder.variant("cuda").source(name + ".cu", kKernels);
  }
  LaunchBuilder scale() { return scale(builder.body()); }
  LaunchBuilder scale(BodyBuilder body) {
    return body.launch("scale").grid({ceildiv(n, 128)}).block({128}).args({"x", "y", "by"}).arg(n);
  }
  LaunchBuilder plus(BodyBuilder body, const Expr& value) {
    return body.launch("plus").grid({ceildiv(n, 128)}).block({128}).args({"y"}).arg(value).arg(n);
  }
  ProgramBuilder builder;
  Expr n;
  Expr rounds;
};

Numbers expected_of(const Numbers& x, double by, double plus) {
  Numbers expected;
  for (const double value : x) expected.push_back(value * by + plus);
  return expected;
}

TEST_P(Bodies, SeveralKernelsAndOneOfThemTwice) {
  Vectors vectors("several");
  vectors.scale();
  vectors.plus(vectors.builder.body(), 3);
  vectors.plus(vectors.builder.body(), -1);
  const Kernel kernel = compiled(vectors.builder);
  for (const std::int64_t n : {1, 127, 128, 1000}) {
    const Numbers numbers = random_numbers(n);
    const Tensor x = uploaded(kernel, {n}, dtype::kFloat32, numbers);
    const Tensor y = poisoned(kernel, {n}, dtype::kFloat32);
    run(kernel, {x, y, 2.0, 0});
    expect_numbers(y, expected_of(numbers, 2, 2));
  }
}

TEST_P(Bodies, AnEmptyTensorIsAnEmptyGrid) {
  Vectors vectors("empty");
  vectors.scale();
  const Kernel kernel = compiled(vectors.builder);
  const Tensor x = poisoned(kernel, {0}, dtype::kFloat32);
  run(kernel, {x, x, 2.0, 0});
}

TEST_P(Bodies, Guards) {
  Vectors vectors("guards");
  vectors.scale();
  vectors.builder.body().when(
      vectors.rounds > 2, [&](BodyBuilder& then) { vectors.plus(then, 10); },
      [&](BodyBuilder& otherwise) { vectors.plus(otherwise, 20); });
  const Kernel kernel = compiled(vectors.builder);
  const Numbers numbers = random_numbers(300);
  const Tensor x = uploaded(kernel, {300}, dtype::kFloat32, numbers);
  for (const int rounds : {2, 3}) {
    const Tensor y = poisoned(kernel, {300}, dtype::kFloat32);
    run(kernel, {x, y, 0.5, rounds});
    expect_numbers(y, expected_of(numbers, 0.5, rounds > 2 ? 10 : 20));
  }
}

TEST_P(Bodies, LoopsAndLets) {
  Vectors vectors("loops");
  const Expr twice = vectors.builder.let("twice", vectors.rounds * 2);
  vectors.scale();
  vectors.builder.body().loop("i", vectors.rounds, twice, [&](BodyBuilder& body, const Expr& i) {
    body.loop("j", 0, 2, [&](BodyBuilder& inner, const Expr& j) { vectors.plus(inner, i * 10 + j); });
  });
  const Kernel kernel = compiled(vectors.builder);
  const Numbers numbers = random_numbers(77);
  const Tensor x = uploaded(kernel, {77}, dtype::kFloat32, numbers);
  for (const int rounds : {0, 1, 3}) {
    const Tensor y = poisoned(kernel, {77}, dtype::kFloat32);
    run(kernel, {x, y, 1.0, rounds});
    double plus = 0;
    for (int i = rounds; i < 2 * rounds; ++i) plus += 2 * (i * 10) + 1;
    expect_numbers(y, expected_of(numbers, 1, plus));
  }
}

TEST_P(Bodies, FailedAsserts) {
  Vectors vectors("asserts");
  vectors.builder.check(eq(floormod(vectors.n, 4), 0), "n must be a multiple of 4. Pad it.");
  vectors.scale();
  const Kernel kernel = compiled(vectors.builder);
  const Tensor x = poisoned(kernel, {5}, dtype::kFloat32);
  const Status refused = kernel.launch({x, x, 1.0, 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("n must be a multiple of 4. Pad it."));
}

TEST_P(Bodies, WorkspacesAndFills) {
  ProgramBuilder builder("workspaces");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kInt32, {n}).output("sum", dtype::kInt32, {2}).variant("cuda").source("workspaces.cu", R"(
extern "C" __global__ void partial(const int* x, int* sums, unsigned char* mark, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sums + blockIdx.x, x[i]);
  if (threadIdx.x == 0 && blockIdx.x == 0 && *mark != 7) sums[0] += 1000000;
}
extern "C" __global__ void total(const int* sums, int count, int* sum) {
  for (int i = 0; i < count; ++i) sum[1] += sums[i];
})");
  builder.workspace("sums", ceildiv(n, 256) * 4).workspace("mark", 16, 16);
  builder.body().fill("sums", ceildiv(n, 256) * 4).fill("mark", 16, 7).fill("sum", 8);
  builder.launch("partial").grid({ceildiv(n, 256)}).block({256}).args({"x", "sums", "mark"}).arg(n);
  builder.launch("total").grid({1}).block({1}).args({"sums"}).arg(ceildiv(n, 256)).args({"sum"});
  const Kernel kernel = compiled(builder);
  for (const std::int64_t count : {1, 256, 100000}) {
    const Tensor x = uploaded(kernel, {count}, dtype::kInt32, Numbers(static_cast<std::size_t>(count), 3));
    const Tensor sum = poisoned(kernel, {2}, dtype::kInt32);
    run(kernel, {x, sum});
    expect_numbers(sum, {0, 3.0 * static_cast<double>(count)});
  }
}

TEST_P(Bodies, FillsOfEveryByte) {
  ProgramBuilder builder("fills");
  const Expr n = builder.symbol("n");
  builder.buffer("y", BufferParam{dtype::kUInt8, {n}})
      .variant("cuda")
      .source("fills.cu", "extern \"C\" __global__ void nothing() {}\n");
  builder.body().fill("y", n, 255);
  builder.launch("nothing").grid({1}).block({1});
  const Kernel kernel = compiled(builder);
  const Tensor y = poisoned(kernel, {1023}, dtype::kUInt8);
  run(kernel, {y});
  expect_numbers(y, Numbers(1023, 255));
}

}  // namespace
}  // namespace kmux::suite
