// Backend cutedsl. The machine with the device needs no CuTe DSL: a rehearsal on another machine has filled the cache.
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kmux/program.h"

#include "suite.h"
#include "tests/needs.h"

namespace kmux::suite {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCuteKernels = R"(import cutlass
import cutlass.cute as cute


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        c[i] = a[i] + b[i]


@cute.kernel
def scale(x: cute.Tensor, by: cutlass.Float32):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        x[i] = x[i] * by


@cute.kernel
def transpose(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < a.shape[0] * a.shape[1]:
        b[i % a.shape[1], i // a.shape[1]] = a[i // a.shape[1], i % a.shape[1]]
)";

class CuteDsl : public DeviceSuite {
 protected:
  // Without options, whose paths of this machine would enter the cache key.
  static Kernel kernel_of(const Program& program) { return compile(program, {.execution_backend = "cutedsl"}).value(); }
  static Kernel kernel_of(const ProgramBuilder& builder) { return kernel_of(builder.build().value()); }

  // Records microseconds of a call, averaged over consecutive calls, in the report.
  void record_time(const Kernel& kernel, std::initializer_list<Arg> args) {
    constexpr int kCalls = 200;
    for (int i = 0; i < 20; ++i) kernel.launch(args).value();
    kernel.device().synchronize().value();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) kernel.launch(args).value();
    kernel.device().synchronize().value();
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
    RecordProperty("call_us", std::to_string(elapsed.count() / kCalls));
  }
};
INSTANTIATE_TEST_SUITE_P(On, CuteDsl, ::testing::Values("cutedsl"),
                         [](const auto& backend) { return std::string(backend.param); });

ProgramBuilder program(const std::string& name) {
  ProgramBuilder builder(name);
  builder.symbol("n", dtype::kInt32);
  return builder;
}

TEST_P(CuteDsl, Elementwise) {
  const Expr n = Expr::symbol("n");
  ProgramBuilder builder = program("elementwise");
  builder.input("a", dtype::kFloat32, {n}).input("b", dtype::kFloat32, {n}).output("c", dtype::kFloat32, {n});
  builder.variant("cutedsl").source("kernels.py", kCuteKernels);
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"a", "b", "c"});
  const Kernel kernel = kernel_of(builder);
  for (const std::int64_t count : {1, 127, 1000, 100000}) {
    const Numbers a = random_numbers(count), b = random_numbers(count);
    const Tensor left = uploaded(kernel, {count}, dtype::kFloat32, a);
    const Tensor right = uploaded(kernel, {count}, dtype::kFloat32, b);
    const Tensor c = poisoned(kernel, {count}, dtype::kFloat32);
    run(kernel, {left, right, c});
    Numbers expected;
    for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] + b[i]);
    expect_numbers(c, expected);
    if (count == 100000) record_time(kernel, {left, right, c});
  }
}

TEST_P(CuteDsl, TwoKernels) {
  const Expr n = Expr::symbol("n");
  ProgramBuilder builder = program("two_kernels");
  const Expr m = builder.symbol("m");
  builder.buffer("a", BufferParam{dtype::kFloat32, {m, n}}).buffer("b", BufferParam{dtype::kFloat32, {n, m}});
  builder.scalar("by", dtype::kFloat32);
  builder.buffer("flat", BufferParam{dtype::kFloat32, {n * m}});
  builder.variant("cutedsl").source("kernels.py", kCuteKernels);
  builder.launch("scale").grid({ceildiv(n * m, 128)}).block({128}).args({"flat", "by"});
  builder.launch("transpose").grid({ceildiv(n * m, 128)}).block({128}).args({"a", "b"});
  const Kernel kernel = kernel_of(builder);
  const Numbers numbers = random_numbers(60 * 100);
  const Tensor a = uploaded(kernel, {60, 100}, dtype::kFloat32, numbers);
  const Tensor flat = Tensor::borrow(a.data(), {6000}, dtype::kFloat32, kernel.device());
  const Tensor b = poisoned(kernel, {100, 60}, dtype::kFloat32);
  run(kernel, {a, b, 2.0, flat});
  Numbers expected(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) expected[i % 100 * 60 + i / 100] = numbers[i] * 2;
  expect_numbers(b, expected);
  record_time(kernel, {a, b, 1.0, flat});
}

TEST_P(CuteDsl, RepeatedKernel) {
  const Expr n = Expr::symbol("n");
  ProgramBuilder builder = program("repeated_kernel");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.scalar("by", dtype::kFloat32);
  builder.variant("cutedsl").source("kernels.py", kCuteKernels);
  builder.launch("scale").grid({ceildiv(n, 128)}).block({128}).args({"x", "by"});
  builder.launch("scale").grid({ceildiv(n, 128)}).block({128}).args({"x", "by"});
  builder.launch("scale").grid({1}).block({64}).args({"x", "by"});  // the first 64 again
  const Kernel kernel = kernel_of(builder);
  const Numbers numbers = random_numbers(1000);
  const Tensor x = uploaded(kernel, {1000}, dtype::kFloat32, numbers);
  run(kernel, {x, 2.0});
  Numbers expected;
  for (std::size_t i = 0; i < numbers.size(); ++i) expected.push_back(numbers[i] * (i < 64 ? 8 : 4));
  expect_numbers(x, expected);
  record_time(kernel, {x, 1.0});
}

// Host functions of CuTe DSL: each call creates the layouts, atoms and tensor maps of examples/cutedsl.
Program example(const std::string& name) {
  return load_program(settings().programs / "../../../examples/cutedsl" / (name + ".py")).value();
}

TEST_P(CuteDsl, HostFunctionAdd) {
  const Kernel kernel = kernel_of(example("add"));
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {100, 1000}, {1024, 4096}}) {
    const Numbers a = random_numbers(m * n), b = random_numbers(m * n);
    const Tensor left = uploaded(kernel, {m, n}, dtype::kFloat32, a);
    const Tensor right = uploaded(kernel, {m, n}, dtype::kFloat32, b);
    const Tensor c = poisoned(kernel, {m, n}, dtype::kFloat32);
    run(kernel, {left, right, c});
    Numbers expected;
    for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] + b[i]);
    expect_numbers(c, expected);
    if (n == 1000) record_time(kernel, {left, right, c});
  }
}

Numbers softmax_of(const Numbers& x, std::int64_t rows, std::int64_t columns) {
  Numbers y(x.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    double total = 0;
    for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) total += y[i] = std::exp(x[i]);
    for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) y[i] /= total;
  }
  return y;
}

TEST_P(CuteDsl, HostFunctionSoftmax) {
  const Kernel kernel = kernel_of(example("softmax"));
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{3, 1}, {70, 999}, {70, 3001}}) {
    const Numbers numbers = random_numbers(rows * columns);
    const Tensor x = uploaded(kernel, {rows, columns}, dtype::kFloat32, numbers);
    const Tensor y = poisoned(kernel, {rows, columns}, dtype::kFloat32);
    run(kernel, {x, y});
    expect_numbers(y, softmax_of(numbers, rows, columns), 1e-6);
    if (columns == 999) record_time(kernel, {x, y});
  }
}

TEST_P(CuteDsl, HostFunctionGemm) {
  const Kernel kernel = kernel_of(example("gemm"));
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{128, 128, 64}, {200, 264, 136}, {300, 64, 1024}}) {
    const Numbers a = random_numbers(m * k), b = random_numbers(k * n);
    Numbers turned(b.size());
    for (std::int64_t i = 0; i < k * n; ++i) turned[i % n * k + i / n] = b[i];
    const Tensor left = uploaded(kernel, {m, k}, dtype::kFloat16, a);
    const Tensor right = uploaded(kernel, {n, k}, dtype::kFloat16, turned);
    const Tensor c = poisoned(kernel, {m, n}, dtype::kFloat16);
    run(kernel, {left, right, c});
    expect_numbers(c, matrix_product(a, b, m, k, n), 2e-3);
    if (n == 264) record_time(kernel, {left, right, c});
  }
}

TEST_P(CuteDsl, HostFunctionInAStreamOfItsOwn) {
  const Kernel kernel = kernel_of(example("softmax"));
  const Stream stream = Stream::create(kernel.device()).value();
  const Numbers numbers = random_numbers(500);
  const Tensor x = uploaded(kernel, {5, 100}, dtype::kFloat32, numbers);
  const Tensor y = poisoned(kernel, {5, 100}, dtype::kFloat32);
  run(kernel, {x, y}, stream);
  expect_numbers(y, softmax_of(numbers, 5, 100), 1e-6);
}

// TileLang's code imports a package of TileLang's; here it is part of the program, so that the cache depends on nothing
// else.
Program with_modules(Program program) {
  std::erase_if(program.variants, [](const Variant& variant) { return variant.dialect != "cutedsl"; });
  const fs::path root = settings().modules;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".py") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    program.variants.at(0).headers.push_back({fs::relative(entry.path(), root).string(), text.str()});
  }
  return program;
}

TEST_P(CuteDsl, GemmOfTileLang) {
  if (settings().modules.empty()) GTEST_SKIP() << needs("TileLang's modules", "--modules names them");
  const auto path = settings().programs / "gemm_f16_dynamic" / "gemm_f16_dynamic.kmux.json";
  const Kernel kernel = kernel_of(with_modules(load_program(path).value()));
  const std::int64_t m = 200, k = 128, n = 264;
  const Numbers a = random_numbers(m * k), b = random_numbers(k * n);
  const Tensor left = uploaded(kernel, {m, k}, dtype::kFloat16, a);
  const Tensor right = uploaded(kernel, {k, n}, dtype::kFloat16, b);
  const Tensor c = poisoned(kernel, {m, n}, dtype::kFloat32);
  run(kernel, {left, right, c});
  expect_numbers(c, matrix_product(a, b, m, k, n), 1e-3);
  record_time(kernel, {left, right, c});
}

}  // namespace
}  // namespace kmux::suite
