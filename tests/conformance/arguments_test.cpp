// Arguments: every dtype, zero and many arguments, strides, offsets, and the ways in which a call is invalid.

#include <cstring>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/complex.h"

#include "programs.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct ScalarCase {
  DType dtype;
  const char* c_type; // of the kernel's parameter: 16-bit and 8-bit floats are
                      // passed by their bits
  std::uint64_t bits;
};

void PrintTo(const ScalarCase& scalar, std::ostream* out) { *out << "a scalar of type " << to_string(scalar.dtype); }

class Scalars : public testing::TestWithParam<ScalarCase> {};

/// The kernel stores the scalar; its bits must come back unchanged.
TEST_P(Scalars, ArriveUnchanged) {
  auto& subject = Subject::current();
  const auto& [type, c_type, bits] = GetParam();
  const std::string t = c_type;
  ProgramBuilder builder("store_scalar");
  builder.scalar("s", type);
  builder.output("out", dtype::kUInt8, {packed_bytes(type, 1)});
  const std::string bool_in_c = "#ifndef __cplusplus\n#define bool _Bool\n#endif\n";
  add_variants(builder, bool_in_c + "KERNEL void store(" + t + "* out, " + t + " s) { *out = s; }\n",
               [](const OneThread& host) { host.launch("store").args({"out", "s"}); });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  const auto bytes = subject.download<std::uint8_t>(kernel(Arg::bits(type, bits)).and_then(single).value());
  std::uint64_t stored = 0;
  std::memcpy(&stored, bytes.data(), bytes.size());
  EXPECT_EQ(stored, bits);
}

INSTANTIATE_TEST_SUITE_P(
    Arguments, Scalars,
    testing::Values(
        ScalarCase{dtype::kBool, "bool", 1}, ScalarCase{dtype::kInt8, "signed char", 0x85},
        ScalarCase{dtype::kInt16, "short", 0x8123}, ScalarCase{dtype::kInt32, "int", 0x81234567},
        ScalarCase{dtype::kInt64, "long long", 0x8123456789abcdefULL}, ScalarCase{dtype::kUInt8, "unsigned char", 0xfe},
        ScalarCase{dtype::kUInt16, "unsigned short", 0xfedc}, ScalarCase{dtype::kUInt32, "unsigned int", 0xfedcba98},
        ScalarCase{dtype::kUInt64, "unsigned long long", 0xfedcba9876543210ULL},
        ScalarCase{dtype::kFloat16, "unsigned short", 0x3c01}, ScalarCase{dtype::kBFloat16, "unsigned short", 0x3f81},
        ScalarCase{dtype::kFloat32, "float", 0x3fc00001}, ScalarCase{dtype::kFloat64, "double", 0x3ff8000000000001ULL},
        ScalarCase{dtype::kFloat8E4M3FN, "unsigned char", 0x39}, ScalarCase{dtype::kFloat8E5M2, "unsigned char", 0x3d}),
    [](const auto& test) { return to_string(test.param.dtype); });

TEST(Arguments, NoneAtAll) {
  ProgramBuilder builder("nothing");
  add_variants(builder, "KERNEL void nothing(void) {}\n", [](const OneThread& host) { host.launch("nothing"); });
  const Kernel kernel = Subject::current().compile(builder.build().value()).value();
  EXPECT_TRUE(kernel.launch({}).ok());
}

TEST(Arguments, SixtyFourOfThem) {
  auto& subject = Subject::current();
  ProgramBuilder builder("many");
  std::string parameters = "int* out";
  std::string sum;
  std::vector<Arg> args;
  for (int i = 0; i < 63; ++i) {
    const std::string name = "s" + std::to_string(i);
    builder.scalar(name, dtype::kInt32);
    parameters += ", int " + name;
    sum += " + (" + std::to_string(i + 1) + ") * " + name;
    args.emplace_back(i);
  }
  builder.output("out", dtype::kInt32, {1});
  add_variants(builder, "KERNEL void many(" + parameters + ") { *out = 0" + sum + "; }\n", [](const OneThread& host) {
    LaunchBuilder launch = host.launch("many").args({"out"});
    for (int i = 0; i < 63; ++i) launch.args({"s" + std::to_string(i)});
  });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  int expected = 0;
  for (int i = 0; i < 63; ++i) expected += (i + 1) * i;
  EXPECT_THAT(subject.download<int>(kernel.call(args).and_then(single).value()), ElementsAre(expected));
}

/// The real and imaginary parts of complex numbers are adjacent in memory.
TEST(Arguments, ComplexElements) {
  auto& subject = Subject::current();
  using Number = std::complex<float>;
  ProgramBuilder builder("conjugate");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kComplex64, {n}).output("y", dtype::kComplex64, {n});
  const std::string text = R"(
KERNEL void conjugate(const float* x, float* y, long long n) {
  for (long long i = 0; i < n; ++i) {
    y[2 * i] = x[2 * i];
    y[2 * i + 1] = -x[2 * i + 1];
  }
}
)";
  add_variants(builder, text,
               [&](const OneThread& host) { host.launch("conjugate").args({"x", "y"}).arg(n, dtype::kInt64); });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  const Tensor x = subject.upload<Number>({2}, dtype::kComplex64, {{1, 2}, {3, -4}});
  EXPECT_THAT(subject.download<Number>(kernel(x).and_then(single).value()), ElementsAre(Number(1, -2), Number(3, 4)));
  const auto refused = kernel(subject.zeros({2}, dtype::kFloat32));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("complex64"));
}

/// The kernel receives a null pointer for a nullable tensor that is absent.
TEST(Arguments, UsedTensorMayBeNull) {
  auto& subject = Subject::current();
  ProgramBuilder builder("first");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{.dtype = dtype::kFloat32, .shape = {n}, .nullable = true});
  builder.input("y", dtype::kFloat32, {n}).output("out", dtype::kFloat32, {1});
  add_variants(builder,
               "KERNEL void first(const float* x, const float* y, float* out) { *out = y[0] + (x != 0 ? x[0] : 8); }\n",
               [](const OneThread& host) { host.launch("first").args({"x", "y", "out"}); });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  const Tensor ones = subject.upload<float>({2}, dtype::kFloat32, {1, 1});
  EXPECT_THAT(subject.download<float>(kernel(nullptr, ones).and_then(single).value()), ElementsAre(9));
  EXPECT_THAT(subject.download<float>(kernel(ones, ones).and_then(single).value()), ElementsAre(2));
}

/// Three device tensors for the add program, and its kernel.
struct Call {
  Kernel kernel = Subject::current().compile(add_program()).value();
  Tensor a = Subject::current().upload<float>({4}, dtype::kFloat32, {1, 2, 3, 4});
  Tensor c = Subject::current().zeros({4}, dtype::kFloat32);

  void expect_refused(const Tensor& first, std::string_view part) const {
    const auto status = kernel.launch({first, a, c});
    ASSERT_FALSE(status.ok()) << "expected: " << part;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message, HasSubstr("\"A\""));
    EXPECT_THAT(status.error().message, HasSubstr(std::string(part)));
  }
};

TEST(Arguments, SharedSymbolsAreCompared) {
  const Call call;
  const auto status = call.kernel.launch({call.a, Subject::current().zeros({5}, dtype::kFloat32), call.c});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("\"B\""));
}

TEST(Arguments, WrongOnesAreRefusedByName) {
  auto& subject = Subject::current();
  const Call call;
  call.expect_refused(subject.zeros({4}, dtype::kFloat64), "float64");
  call.expect_refused(subject.zeros({2, 2}, dtype::kFloat32), "2");
  call.expect_refused(Tensor(), "null");
  const Tensor memory = subject.zeros({16}, dtype::kFloat32);
  call.expect_refused(Tensor::borrow(memory.data(), {4}, dtype::kFloat32, subject.device(), {2}), "contiguous");
  call.expect_refused(Tensor::borrow(static_cast<char*>(memory.data()) + 1, {4}, dtype::kFloat32, subject.device()),
                      "align");
}

TEST(Arguments, TensorsOfAnotherDeviceAreRefused) {
  const Call call;
  if (call.kernel.device().is_host()) {
    const DLDevice elsewhere{kDLCUDA, 0};
    DLTensor foreign = *call.a.dl();
    foreign.device = elsewhere;
    EXPECT_FALSE(call.kernel.launch({&foreign, call.a, call.c}).ok());
  } else {
    EXPECT_FALSE(call.kernel.launch({Tensor::zeros({4}, dtype::kFloat32).value(), call.a, call.c}).ok());
  }
}

TEST(Arguments, ByteOffsetsAreHonoured) {
  auto& subject = Subject::current();
  const Call call;
  const Tensor memory = subject.upload<float>({6}, dtype::kFloat32, {9, 9, 10, 20, 30, 40});
  DLTensor view = *memory.dl();
  std::int64_t shape[] = {4};
  view.shape = shape;
  view.byte_offset = 8;
  ASSERT_TRUE(call.kernel.launch({&view, call.a, call.c}).ok());
  EXPECT_THAT(subject.download<float>(call.c), ElementsAre(11, 22, 33, 44));
}

TEST(Arguments, NoStridesMeansContiguous) {
  const Call call;
  DLTensor view = *call.a.dl();
  view.strides = nullptr;
  EXPECT_TRUE(call.kernel.launch({&view, call.a, call.c}).ok());
}

TEST(Arguments, StrideOfAnExtentOfOneIsFree) {
  auto& subject = Subject::current();
  const Call call;
  const Tensor memory = subject.zeros({1}, dtype::kFloat32);
  const Tensor odd = Tensor::borrow(memory.data(), {1}, dtype::kFloat32, subject.device(), {77});
  EXPECT_TRUE(call.kernel.launch({odd, memory, subject.zeros({1}, dtype::kFloat32)}).ok());
}

TEST(Arguments, ZeroElementsMayHaveNoMemory) {
  auto& subject = Subject::current();
  const Call call;
  const Tensor none = Tensor::borrow(nullptr, {0}, dtype::kFloat32, subject.device());
  const auto status = call.kernel.launch({none, none, none});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().explain());
}

TEST(Arguments, WrongCountIsRefused) {
  const Call call;
  const auto status = call.kernel.launch({call.a, call.a});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("3"));
}

TEST(Arguments, UnusedTensorMayBeNull) {
  auto& subject = Subject::current();
  ProgramBuilder builder("optional_bias");
  builder.buffer("bias", BufferParam{dtype::kFloat32, {4}, {}, 0, true});
  builder.output("out", dtype::kInt32, {1});
  add_variants(builder, "KERNEL void one(int* out) { *out = 1; }\n",
               [](const OneThread& host) { host.launch("one").args({"out"}); });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  EXPECT_THAT(subject.download<int>(kernel(nullptr).and_then(single).value()), ElementsAre(1));
}

TEST(Arguments, TensorsWithoutDimensions) {
  auto& subject = Subject::current();
  ProgramBuilder builder("scalar_tensor");
  builder.input("A", dtype::kFloat32, {}).output("B", dtype::kFloat32, {});
  add_variants(builder, "KERNEL void twice(const float* a, float* b) { *b = 2 * *a; }\n",
               [](const OneThread& host) { host.launch("twice").args({"A", "B"}); });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  const Tensor result = kernel(subject.upload<float>({}, dtype::kFloat32, {21})).and_then(single).value();
  EXPECT_EQ(result.shape().size(), 0u);
  EXPECT_THAT(subject.download<float>(result), ElementsAre(42));
}

TEST(Arguments, SeveralOutputsComeInOrder) {
  auto& subject = Subject::current();
  ProgramBuilder builder("split");
  const Expr n = builder.symbol("n");
  builder.output("low", dtype::kInt32, {n}).input("A", dtype::kInt32, {n * Expr(2)}).output("high", dtype::kInt32, {n});
  add_variants(builder, R"(
KERNEL void split(int* low, const int* a, int* high, long long n) {
  for (long long i = 0; i < n; ++i) { low[i] = a[i]; high[i] = a[n + i]; }
}
)",
               [&](const OneThread& host) { host.launch("split").args({"low", "A", "high"}).arg(n, dtype::kInt64); });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  const Outputs outputs = kernel(subject.upload<int>({4}, dtype::kInt32, {1, 2, 3, 4})).value();
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_THAT(subject.download<int>(outputs[0]), ElementsAre(1, 2));
  EXPECT_THAT(subject.download<int>(outputs[1]), ElementsAre(3, 4));
  EXPECT_FALSE(kernel(subject.zeros({3}, dtype::kInt32)).ok()); // 2 n = 3 has no integer solution
}

} // namespace
} // namespace kmux::conformance
