#include "adapter.h"

#include <array>
#include <bit>
#include <filesystem>
#include <iterator>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured_output.h"
#include "meta.h"
#include "simt/frontend/installation.h"
#include "simt/runtime/pool.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

LoadedKernel load(const ProgramBuilder& builder, Options options = {}) {
  Workbench bench;
  return bench.load(builder.build().value(), std::move(options)).value();
}

TEST(AdapterTest, PassesScalarsOfEveryType) {
  ProgramBuilder builder("scalars");
  const std::vector<std::pair<std::string, DType>> scalars = {
      {"b", dtype::kBool},      {"i8", dtype::kInt8},        {"u8", dtype::kUInt8},    {"i16", dtype::kInt16},
      {"u16", dtype::kUInt16},  {"i32", dtype::kInt32},      {"u32", dtype::kUInt32},  {"i64", dtype::kInt64},
      {"u64", dtype::kUInt64},  {"f32", dtype::kFloat32},    {"f64", dtype::kFloat64}, {"f16", dtype::kFloat16},
      {"bf", dtype::kBFloat16}, {"f8", dtype::kFloat8E4M3FN}};
  builder.output("out", dtype::kFloat64, {14});
  for (const auto& [name, type] : scalars) builder.scalar(name, type);
  builder.variant("c").source("k.c", R"(#include <stdbool.h>
void k(double* out, bool b, signed char i8, unsigned char u8, short i16, unsigned short u16, int i32, unsigned u32,
       long long i64, unsigned long long u64, float f32, double f64, _Float16 f16, unsigned short bf, unsigned char f8) {
  const double all[] = {b, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf, f8};
  for (int i = 0; i < 14; ++i) out[i] = all[i];
})");
  LaunchBuilder launch = builder.launch("k");
  launch.args({"out"});
  for (const auto& [name, type] : scalars) launch.args({name});
  double out[14] = {};
  auto kernel = load(builder);
  const Status status =
      kernel({slot(out), bits(1), bits(0xFF), bits(0xFF), bits(0xFFFE), bits(0xFFFE), bits(0xFFFFFFFD),
              bits(0xFFFFFFFD), slot(-4), bits(1ULL << 40), bits(std::bit_cast<std::uint32_t>(1.5F)),
              bits(std::bit_cast<std::uint64_t>(-2.25)), bits(0x4200), bits(0x3F80), bits(0x38)});
  ASSERT_TRUE(status.ok()) << status.error().explain();
  EXPECT_THAT(out,
              ElementsAre(1, -1, 255, -2, 65534, -3, 4294967293.0, -4, 1099511627776.0, 1.5, -2.25, 3, 0x3F80, 0x38));
}

TEST(AdapterTest, PassesSymbolsAndOffsets) {
  ProgramBuilder builder("symbols");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kInt32, {n}});
  builder.variant("c").source("k.c",
                              "void k(int* x, int n, long long m) { for (int i = 0; i < n; ++i) x[i] = (int)m; }");
  builder.launch("k").arg(TensorArg{"x", 4}).arg(n - Expr(1)).arg(n * Expr(2), dtype::kInt64);
  std::vector<int> x(4, 0);
  auto kernel = load(builder);
  EXPECT_TRUE(kernel({slot(x.data()), slot(4)}).ok());
  EXPECT_THAT(x, ElementsAre(0, 8, 8, 8));
}

TEST(AdapterTest, ReportsNonzeroKernelStatus) {
  ProgramBuilder builder("status");
  builder.scalar("n", dtype::kInt32);
  builder.variant("c").source("k.c", "int k(int n) { return n; }");
  builder.launch("k").args({"n"}).returns_int32();
  auto kernel = load(builder);
  EXPECT_TRUE(kernel({bits(0)}).ok());
  for (const int status : {3, -12, std::numeric_limits<int>::min()}) {
    const Status failed = kernel({bits(static_cast<std::uint32_t>(status))});
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, ErrorCode::kLaunchFailed);
    EXPECT_THAT(failed.error().message,
                HasSubstr("kernel \"k\" returned " + std::to_string(status) + " (0 means success)"));
  }
}

TEST(AdapterTest, ReportsKernelExceptions) {
  ProgramBuilder builder("throws");
  builder.scalar("n", dtype::kInt32);
  builder.variant("c").source("k.cpp",
                              "#include <stdexcept>\nextern \"C\" void k(int n) {"
                              " if (n == 1) throw std::runtime_error(\"too much\"); if (n == 2) throw 5; }");
  builder.workspace("w", 64);
  builder.launch("k").args({"n"});
  auto kernel = load(builder);
  EXPECT_TRUE(kernel({bits(0)}).ok());
  const Status known = kernel({bits(1)});
  ASSERT_FALSE(known.ok());
  EXPECT_EQ(known.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(known.error().message, HasSubstr("the kernel threw \"too much\""));
  const Status unknown = kernel({bits(2)});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("not a std::exception"));
  EXPECT_EQ(kernel.allocator.allocated, 3);
  EXPECT_EQ(kernel.allocator.freed, 3);
}

TEST(AdapterTest, RunsStepsInOrder) {
  ProgramBuilder builder("steps");
  const Expr n = builder.scalar("n", dtype::kInt64);
  builder.buffer("log", BufferParam{dtype::kInt64, {8}});
  builder.variant("c").source(
      "k.c",
      "void append(long long* log, long long v) { log[++log[0]] = v; }\n"
      "void copy(long long* to, const long long* from) { for (int i = 0; i < 8; ++i) to[i] = from[i]; }");
  builder.workspace("w", 64);
  BodyBuilder body = builder.body();
  body.fill("w", 64, 0);
  body.loop("i", 0, n,
            [](BodyBuilder& inner, Expr i) { inner.launch("append").args({"w"}).arg(i * 10, dtype::kInt64); });
  body.when(
      n > Expr(2), [](BodyBuilder& inner) { inner.launch("append").args({"w"}).arg(1, dtype::kInt64); },
      [](BodyBuilder& inner) { inner.launch("append").args({"w"}).arg(2, dtype::kInt64); });
  body.launch("copy").args({"log", "w"});
  auto kernel = load(builder);
  std::vector<std::int64_t> log(8, -1);
  ASSERT_TRUE(kernel({slot(3), slot(log.data())}).ok());
  EXPECT_THAT(log, ElementsAre(4, 0, 10, 20, 1, 0, 0, 0));
  ASSERT_TRUE(kernel({slot(1), slot(log.data())}).ok());
  EXPECT_THAT(log, ElementsAre(2, 0, 2, 0, 0, 0, 0, 0));
  EXPECT_EQ(kernel.allocator.allocated, 2);
  EXPECT_EQ(kernel.allocator.freed, 2);
}

TEST(AdapterTest, RejectsOutOfRangeFillWithoutWriting) {
  ProgramBuilder builder("filled");
  const Expr n = builder.symbol("n");
  builder.buffer("y", BufferParam{dtype::kInt8, {n}});
  const Expr extra = builder.scalar("extra", dtype::kInt64);
  builder.variant("c").source("k.c", "void k(signed char* y) { y[0] = 1; }");
  builder.launch("k").args({"y"});
  builder.body().fill("y", n + extra, 7);
  auto kernel = load(builder);
  std::vector<std::int8_t> memory(8192, -1);
  const auto call = [&](std::int64_t more) { return kernel({slot(memory.data()), slot(more), slot(4096)}); };
  for (const std::int64_t more : {std::int64_t{64}, std::int64_t{1} << 60, std::int64_t{-4097}}) {
    const Status refused = call(more);
    ASSERT_FALSE(refused.ok()) << more;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("fill of \"y\" writes " + std::to_string(4096 + more) +
                                                   " bytes (the buffer has 4096). Fill at most the buffer."));
    EXPECT_THAT(memory, Each(-1));
  }
  ASSERT_TRUE(call(0).ok());
  EXPECT_EQ(memory[4095], 7);
  EXPECT_EQ(memory[4096], -1);
}

TEST(AdapterTest, ReportsFailedWorkspaceAllocation) {
  ProgramBuilder builder = one_kernel("k.c", "void k(int* out) { out[0] = 1; }");
  builder.workspace("w", 64);
  auto kernel = load(builder);
  kernel.allocator.fails = true;
  int out[4] = {};
  EXPECT_FALSE(kernel({slot(out)}).ok());
}

TEST(AdapterTest, LaunchesFromManyThreads) {
  ProgramBuilder builder("square");
  const Expr n = builder.scalar("n", dtype::kInt64);
  builder.output("out", dtype::kInt64, {1})
      .variant("c")
      .source("k.c", "void k(long long* out, long long n) { *out = n * n; }");
  builder.launch("k").args({"out"}).arg(n, dtype::kInt64);
  auto kernel = load(builder);
  std::vector<std::thread> threads;
  std::array<bool, 8> right{};
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      right[t] = true;
      for (std::int64_t i = 0; i < 1000; ++i) {
        std::int64_t out = -1;
        right[t] = right[t] && kernel({slot(i), slot(&out)}).ok() && out == i * i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, testing::Each(true));
}

TEST(AdapterTest, LoadsFromSerializedArtifact) {
  Artifact artifact = load(one_kernel("k.c", "void k(int* out) { out[0] = 9; }")).artifact;
  artifact = deserialize(serialize(artifact)).value();
  LoadedKernel kernel{{}, artifact, load_artifact(artifact).value()};
  int out[4] = {};
  EXPECT_TRUE(kernel({slot(out)}).ok());
  EXPECT_EQ(out[0], 9);
}

Error load_error(const Artifact& artifact) {
  const auto adapter = load_artifact(artifact);
  return adapter ? make_error(ErrorCode::kOk, "it loaded") : adapter.error();
}

TEST(AdapterTest, RejectsCodeForAnotherProcessor) {
  Artifact artifact = load(one_kernel("k.c", "void k(int* out) { out[0] = 9; }")).artifact;
  Meta meta = parse_meta(*artifact.find(kMetaPart)).value();
  meta.cpu = "z900";
  meta.features.push_back("vector-3000");
  artifact.set(kMetaPart, dump_meta(meta));
  EXPECT_EQ(load_error(artifact).code, ErrorCode::kUnavailable);
  EXPECT_THAT(load_error(artifact).message, HasSubstr("for processor \"z900\""));
  EXPECT_THAT(load_error(artifact).message, HasSubstr("lacks vector-3000"));
  meta.triple = "s390x-ibm-linux";
  artifact.set(kMetaPart, dump_meta(meta));
  EXPECT_THAT(load_error(artifact).message, HasSubstr("is for \"s390x-ibm-linux\""));
}

TEST(AdapterTest, RejectsIncompleteArtifacts) {
  const Artifact whole = load(one_kernel("k.c", "void k(int* out) { out[0] = 9; }")).artifact;
  EXPECT_EQ(load_error({}).code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(load_error({}).message, HasSubstr("\"meta.json\""));
  Artifact codeless;
  codeless.set(kMetaPart, *whole.find(kMetaPart));
  EXPECT_THAT(load_error(codeless).message, HasSubstr("no part \"code\""));
  Artifact garbled = whole;
  garbled.set(kMetaPart, "{\"engine\":3}");
  EXPECT_THAT(load_error(garbled).message, HasSubstr("no valid \"engine\""));
}

std::ptrdiff_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(AdapterTest, PreparesPoolThreadsForGridKernels) {
  ProgramBuilder builder("grid");
  builder.output("out", dtype::kInt32, {128})
      .variant("cuda")
      .source("k.cu", "__global__ void k(int* out) { out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; }");
  builder.launch("k").grid({2}).block({64}).args({"out"});
  Workbench bench;
  pool().limit(3);
  auto kernel = bench.load(builder.build().value()).value();
  auto plain = bench.load(one_kernel("k.c", "void k(int* out) { out[0] = 9; }").build().value()).value();
  const std::ptrdiff_t before = threads_of_process();
  EXPECT_TRUE(plain.adapter->prepare(0).ok());
  EXPECT_EQ(threads_of_process(), before);
  EXPECT_TRUE(kernel.adapter->prepare(0).ok());
  EXPECT_EQ(threads_of_process(), before + 2);
  std::vector<int> out(128, -1);
  EXPECT_TRUE(kernel({slot(out.data())}).ok());
  EXPECT_EQ(out[127], 63);
  {
    const Workbench another;
  }
  EXPECT_EQ(threads_of_process(), before + 2) << "a backend is left";
  pool().limit(0);
}

TEST(AdapterTest, PreparesDeviceZeroOnly) {
  auto kernel = load(one_kernel("k.c", "void k(int* out) { out[0] = 9; }"));
  EXPECT_TRUE(kernel.adapter->prepare(0).ok());
  const Status other = kernel.adapter->prepare(1);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("device 1 does not exist"));
}

}  // namespace
}  // namespace kmux::cpu
