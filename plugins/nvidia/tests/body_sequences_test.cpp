// Arguments, several launches, guards, loops, lets, workspaces and fills: the resulting driver calls.
#include <array>

#include "over_fake.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

KMUX_OVER_FAKE(BodySequencesTest);

constexpr const char* kTwo = R"(
extern "C" __global__ void first(float* x, int i) { x[0] = i; }
extern "C" __global__ void second(float* x, float* y) { x[0] = y[0]; }
extern "C" __global__ void nothing() {}
)";

const Expr kN = Expr::symbol("n");

struct Scalar {
  DType type;
  const char* cuda;
  Arg value;
  const char* written;
};

const std::array kScalars = {
    Scalar{dtype::kBool, "bool", true, "0x01"},
    Scalar{dtype::kInt8, "signed char", -2, "0xfe"},
    Scalar{dtype::kInt16, "short", -3, "0xfffd"},
    Scalar{dtype::kInt32, "int", -4, "0xfffffffc"},
    Scalar{dtype::kInt64, "long long", -5, "0xfffffffffffffffb"},
    Scalar{dtype::kUInt8, "unsigned char", 200U, "0xc8"},
    Scalar{dtype::kUInt16, "unsigned short", 60000U, "0xea60"},
    Scalar{dtype::kUInt32, "unsigned", 4000000000U, "0xee6b2800"},
    Scalar{dtype::kUInt64, "unsigned long long", 18000000000000000000ULL, "0xf9ccd8a1c5080000"},
    Scalar{dtype::kFloat16, "unsigned short", 1.5, "0x3e00"},
    Scalar{dtype::kBFloat16, "unsigned short", 1.5, "0x3fc0"},
    Scalar{dtype::kFloat32, "float", 1.5, "0x3fc00000"},
    Scalar{dtype::kFloat64, "double", 1.5, "0x3ff8000000000000"},
    Scalar{dtype::kFloat8E4M3FN, "unsigned char", 1.5, "0x3c"},
    Scalar{dtype::kFloat8E5M2, "unsigned char", 1.5, "0x3e"},
};

TEST_P(BodySequencesTest, ScalarsOfEveryTypeKeepTheirBits) {
  std::string parameters;
  ProgramBuilder builder("scalars");
  for (std::size_t i = 0; i < kScalars.size(); ++i) {
    const std::string name = "s" + std::to_string(i);
    builder.scalar(name, kScalars[i].type);
    parameters += (i == 0 ? "" : ", ") + std::string(kScalars[i].cuda) + " " + name;
  }
  builder.variant("cuda").source("scalars.cu", "extern \"C\" __global__ void scalars(" + parameters + ") {}\n");
  LaunchBuilder launch = builder.launch("scalars").grid({1}).block({32});
  LaunchLine expected{"scalars"};
  std::vector<Arg> args;
  for (std::size_t i = 0; i < kScalars.size(); ++i) {
    launch.args({"s" + std::to_string(i)});
    args.push_back(kScalars[i].value);
    expected.args.emplace_back(kScalars[i].written);
  }
  EXPECT_THAT(work_of(warmed(builder), args), ElementsAre(line(expected)));
}

// Values of more than eight bytes are shown in memory order.
TEST_P(BodySequencesTest, StructuresAreLaidOutByMembers) {
  ProgramBuilder builder("structures");
  builder.scalar("a", dtype::kInt32);
  builder.scalar("b", dtype::kInt8);
  const std::string source =
      "struct Dim { int rows, cols, stride; };\nstruct Pair { char b; double d; };\n"
      "extern \"C\" __global__ void structures(Dim d, Pair p, float4 four) {}\n";
  builder.variant("cuda").source("structures.cu", source);
  const LaunchArg a = ScalarArg{"a"};
  builder.launch("structures")
      .grid({1})
      .block({32})
      .arg(StructArg{{a, ExprArg{Expr::symbol("a") * 2}, ExprArg{7}}})
      .arg(StructArg{{ScalarArg{"b"}, ExprArg{9, dtype::kInt64}}})
      .arg(StructArg{{a, a, a, a}, 16});
  LaunchLine expected{"structures"};
  expected.args = {"0x030000000600000007000000", "0xfe000000000000000900000000000000",
                   "0x03000000030000000300000003000000"};
  EXPECT_THAT(work_of(warmed(builder), {3, -2}), ElementsAre(line(expected)));
}

TEST_P(BodySequencesTest, KernelWithoutArgumentsLaunches) {
  ProgramBuilder builder("none");
  builder.variant("cuda").source("two.cu", kTwo);
  builder.launch("nothing").grid({1}).block({32});
  EXPECT_THAT(work_of(warmed(builder), {}), ElementsAre(line({"nothing"})));
}

TEST_P(BodySequencesTest, KernelWithManyArgumentsLaunches) {
  constexpr int kCount = 100;
  std::string parameters;
  ProgramBuilder builder("many");
  for (int i = 0; i < kCount; ++i) {
    builder.scalar("s" + std::to_string(i), dtype::kInt32);
    parameters += (i == 0 ? "int s" : ", int s") + std::to_string(i);
  }
  builder.variant("cuda").source("many.cu", "extern \"C\" __global__ void many(" + parameters + ") {}\n");
  LaunchBuilder launch = builder.launch("many").grid({1}).block({32});
  LaunchLine expected{"many"};
  std::vector<Arg> args;
  for (int i = 0; i < kCount; ++i) {
    launch.args({"s" + std::to_string(i)});
    args.emplace_back(i);
    expected.args.push_back(written(i));
  }
  EXPECT_THAT(work_of(warmed(builder), args), ElementsAre(line(expected)));
}

TEST_P(BodySequencesTest, KernelLaunchedTwiceIsResolvedOnce) {
  ProgramBuilder builder = program_of("twice", kTwo);
  builder.launch("first").grid({1}).block({32}).args({"x"}).arg(Expr(1));
  builder.launch("second").grid({2}).block({32}).args({"x", "x"});
  builder.launch("first").grid({3}).block({32}).args({"x"}).arg(Expr(2));
  const Kernel kernel = compiled(builder);
  kernel.warm().value();
  make_current();
  EXPECT_EQ(fake.calls("cuLibraryGetKernel").size(), 2U);
  const Tensor x = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {x}), ElementsAre(line({"first", {written(x), written(1)}}),
                                                line({"second", {written(x), written(x)}, "2,1,1"}),
                                                line({"first", {written(x), written(2)}, "3,1,1"})));
}

TEST_P(BodySequencesTest, GuardsLoopsAndLetsSelectLaunches) {
  ProgramBuilder builder = program_of("guarded", kTwo);
  const Expr half = builder.let("half", floordiv(kN, 2));
  BodyBuilder body = builder.body();
  body.when(
      kN > 4, [](BodyBuilder& then) { then.launch("second").grid({1}).block({32}).args({"x", "x"}); },
      [](BodyBuilder& otherwise) { otherwise.launch("nothing").grid({1}).block({32}); });
  body.loop("i", Expr(0), half, [](BodyBuilder& inner, const Expr& i) {
    inner.launch("first").grid({1}).block({32}).args({"x"}).arg(i * 10);
  });
  const Kernel kernel = warmed(builder);
  const Tensor small = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {small}), ElementsAre(line({"nothing"}), line({"first", {written(small), written(0)}}),
                                                    line({"first", {written(small), written(10)}})));
  const Tensor large = zeros(kernel, {6});
  EXPECT_EQ(work_of(kernel, {large}).size(), 4U);
  EXPECT_EQ(work().at(0), line({"second", {written(large), written(large)}}));
}

TEST_P(BodySequencesTest, FailedAssertPreventsLaunch) {
  ProgramBuilder builder = program_of("asserted", kTwo);
  builder.check(eq(floormod(kN, 4), 0), "n must be a multiple of 4");
  builder.launch("nothing").grid({1}).block({32});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {5});
  const Status refused = kernel.launch({x});
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("n must be a multiple of 4"));
  EXPECT_THAT(work(), IsEmpty());
}

TEST_P(BodySequencesTest, WorkspacesAndFillsAreInStreamOrder) {
  ProgramBuilder builder = program_of("workspace", kTwo);
  builder.workspace("w", kN * 4);
  builder.body().fill("w", kN * 4, 7);
  builder.launch("second").grid({1}).block({32}).args({"x", "w"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {25});
  const auto lines = work_of(kernel, {x}, reinterpret_cast<void*>(2));
  ASSERT_EQ(lines.size(), 4U);
  const std::string w = lines[0].substr(lines[0].find("-> ") + 3);
  const auto address = reinterpret_cast<void*>(std::stoull(w, nullptr, 16));
  EXPECT_THAT(lines, ElementsAre("cuMemAllocFromPoolAsync bytes 100 pool 0x8000000 stream 0x2 -> " + w,
                                 "cuMemsetD8Async " + w + " value 7 bytes 100 stream 0x2",
                                 line({.kernel = "second", .args = {written(x), written(address)}, .stream = "0x2"}),
                                 "cuMemFreeAsync " + w + " stream 0x2"));
}

// Returns the address that an allocation returned, or that a launch was passed: the last number of `line`.
std::uint64_t address_in(const std::string& line, const std::string& before) {
  return std::stoull(line.substr(line.find(before) + before.size()), nullptr, 16);
}

TEST_P(BodySequencesTest, WorkspacesHaveDeclaredAlignment) {
  for (const std::uint64_t alignment : {16, 256, 4096, 65536}) {
    ProgramBuilder builder = program_of("aligned", kTwo);
    builder.workspace("w", kN * 4, static_cast<std::int64_t>(alignment));
    builder.launch("first").grid({1}).block({32}).args({"w"}).arg(Expr(1));
    const Kernel kernel = warmed(builder);
    const auto lines = work_of(kernel, {zeros(kernel, {25})});
    ASSERT_EQ(lines.size(), 3U);
    const std::uint64_t wanted = 100 + (alignment > 256 ? alignment - 256 : 0);
    EXPECT_THAT(lines[0], HasSubstr("cuMemAllocFromPoolAsync bytes " + std::to_string(wanted) + " "));
    const std::uint64_t allocated = address_in(lines[0], "-> ");
    const std::uint64_t passed = address_in(lines[1], "args [");
    EXPECT_EQ(passed % alignment, 0U);
    EXPECT_GE(passed, allocated);
    EXPECT_LE(passed + 100, allocated + wanted);
    EXPECT_EQ(address_in(lines[2], "cuMemFreeAsync "), allocated);
  }
}

TEST_P(BodySequencesTest, FillsReachTheMemoryOfTensors) {
  ProgramBuilder builder = program_of("filled", kTwo);
  builder.body().fill("x", kN * 4, 3);
  builder.launch("nothing").grid({1}).block({32});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {2});
  EXPECT_THAT(work_of(kernel, {x}), ElementsAre(HasSubstr(" value 3 bytes 8 stream 0x0"), line({"nothing"})));
  fake.finish();
  EXPECT_EQ(x.data_as<int>()[1], 0x03030303);
}

TEST_P(BodySequencesTest, FillsBeyondTheirBufferAreRejectedBeforeLaunch) {
  ProgramBuilder builder = program_of("filled", kTwo);
  const Expr extra = builder.scalar("extra", dtype::kInt64);
  builder.launch("nothing").grid({1}).block({32});
  builder.body().fill("x", kN * 4 + extra, 3);
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {1024});
  fake.clear_calls();
  for (const std::int64_t more : {std::int64_t{64}, std::int64_t{1} << 60, std::int64_t{-4100}}) {
    const Status refused = kernel.launch({x, more});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("fill of \"x\" writes " + std::to_string(4096 + more) +
                                                   " bytes (the buffer has 4096). Fill at most the buffer."));
  }
  EXPECT_THAT(work(), IsEmpty());
  EXPECT_THAT(work_of(kernel, {x, std::int64_t{0}}), ElementsAre(line({"nothing"}), HasSubstr(" value 3 bytes 4096 ")));
}

// C3.3: detected without a device, from the code itself.
TEST_P(BodySequencesTest, ArgumentSizeMismatchIsRejectedAtCompileTime) {
  ProgramBuilder builder = program_of("wide", kTwo);
  builder.launch("first").grid({1}).block({32}).args({"x"}).arg(kN, dtype::kInt64);
  const auto refused = try_compile(builder);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("2 arguments of 8, 8 bytes: pointer x, int64 n (its code takes 2 "
                                                 "arguments of 8, 4 bytes; argument 2 differs)"));
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), IsEmpty());
}

}  // namespace
}  // namespace kmux::nvidia
