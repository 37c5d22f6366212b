#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_process_plugin.h"
#include "resolve/measurement.h"
#include "tune/tuner.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Expr kSampleM = Expr::symbol("m");
const Expr kSampleN = Expr::symbol("n");
const DType kSampleF32 = dtype::kFloat32;

/// Returns A of m x n, a scalar k that is B's extent, and C with strides, which may be null.
Signature signature() {
  Param strided = buffer_param("C", kSampleF32, {kSampleM, kSampleN});
  std::get<BufferParam>(strided.kind).strides = std::vector<Expr>{kSampleN * 2, Expr(1)};
  std::get<BufferParam>(strided.kind).nullable = true;
  return fake_signature({buffer_param("A", kSampleF32, {kSampleM, kSampleN}), scalar_param("k", dtype::kInt8),
                         buffer_param("B", kSampleF32, {Expr::symbol("k") + 5}), std::move(strided)});
}

SampleTensor tensor_in(const CallSample& sample, std::size_t index) { return std::get<SampleTensor>(sample[index]); }

kmux_slot integer(std::int64_t value) {
  kmux_slot slot{};
  slot.i64 = value;
  return slot;
}

TEST(CallSampleTest, ReadsSlotsOfCall) {
  float memory = 0;
  kmux_slot address{};
  address.ptr = &memory;
  kmux_slot scalar{};
  scalar.bits = 0xfe;  // -2 as int8, zero-extended
  const std::array slots{address, scalar, address, address, integer(3), integer(7)};
  const CallSample sample = sample_of(signature(), slots.data()).value();
  EXPECT_EQ(tensor_in(sample, 0), (SampleTensor{kSampleF32, {3, 7}, {}}));
  EXPECT_EQ(std::get<Arg>(sample[1]).bits(), 0xfeU);
  EXPECT_EQ(tensor_in(sample, 2), (SampleTensor{kSampleF32, {3}, {}}));
  EXPECT_EQ(tensor_in(sample, 3), (SampleTensor{kSampleF32, {3, 7}, {14, 1}}));
}

TEST(CallSampleTest, KeepsNullTensors) {
  const std::array slots{integer(0), integer(1), integer(0), kmux_slot{}, integer(2), integer(2)};
  const CallSample sample = sample_of(signature(), slots.data()).value();
  EXPECT_EQ(std::get<Arg>(sample[3]).tensor(), nullptr);
}

TEST(CallSampleTest, ReadsArgumentsOfCall) {
  const Tensor a = Tensor::zeros({3, 7}, kSampleF32).value();
  const Tensor c = Tensor::zeros({100}, kSampleF32).value().as_strided({3, 7}, {14, 1});
  const CallSample sample = sample_of(signature(), std::array{Arg(a), Arg(4), Arg(a), Arg(c)}).value();
  EXPECT_EQ(tensor_in(sample, 0).shape, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(std::get<Arg>(sample[1]).integer(), 4);
  EXPECT_EQ(tensor_in(sample, 3).strides, (std::vector<std::int64_t>{14, 1}));
}

TEST(CallSampleTest, RequiresAllParameters) {
  const Error error = sample_of(signature(), std::array{Arg(1)}).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("takes all 4 parameters, outputs included (1 were given)"));
}

TEST(CallSampleTest, RejectsRawPointers) {
  const Signature pointer{.params = {{"p", PointerParam{}}}};
  for (const Error& error : {sample_of(pointer, std::array{Arg::pointer(nullptr)}).error(),
                             sample_of(pointer, std::array{kmux_slot{}}.data()).error()}) {
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_THAT(error.message, HasSubstr("parameter \"p\" is a raw pointer"));
  }
}

TEST(CallSampleTest, UsesExampleValuesOfProgram) {
  Program program{.name = "p", .signature = signature()};
  EXPECT_FALSE(example_of(program).has_value());
  program.metadata.symbols = {{"m", 3}, {"n", 7}};
  program.metadata.scalars = {{"k", 4}};
  EXPECT_EQ(bucket_of(*example_of(program)), "[2^1, 2^2], [2^3], [2^1, 2^2]");
}

TEST(CallSampleTest, NeedsNoExampleForConstantShapes) {
  const Program program{.name = "p",
                        .signature = fake_signature({buffer_param("A", kSampleF32, {Expr(4), Expr(1024)})})};
  EXPECT_EQ(bucket_of(*example_of(program)), "[2^2, 2^10]");
}

TEST(CallSampleTest, BucketsRoundExtentsDownToPowersOfTwo) {
  const auto bucket = [](std::int64_t extent) { return bucket_of({SampleTensor{kSampleF32, {extent}, {}}}); };
  EXPECT_EQ(bucket(0), "[0]");
  EXPECT_EQ(bucket(1), "[2^0]");
  EXPECT_EQ(bucket(1023), "[2^9]");
  EXPECT_EQ(bucket(1024), bucket(2047));
  EXPECT_NE(bucket(1024), bucket(1023));
}

TEST(CallCopyTest, AllocatesZeroedTensors) {
  const Device device(Shared<InProcessPlugin>::make(kDLCPU), 0);
  const CallSample sample{SampleTensor{kSampleF32, {2, 3}, {}}, Arg(7), SampleTensor{kSampleF32, {2, 2}, {5, 1}},
                          Arg(nullptr)};
  const CallCopy copy = CallCopy::make(sample, device).value();
  const DLTensor& first = *copy.args()[0].tensor();
  EXPECT_THAT(std::vector<float>(static_cast<float*>(first.data), static_cast<float*>(first.data) + 6),
              testing::Each(0));
  EXPECT_EQ(copy.args()[1].integer(), 7);
  EXPECT_EQ(copy.args()[2].tensor()->strides[0], 5);
  EXPECT_EQ(copy.args()[3].tensor(), nullptr);
}

TEST(CallCopyTest, RejectsNegativeStridesAndOversizedTensors) {
  const Device device(Shared<InProcessPlugin>::make(kDLCPU), 0);
  EXPECT_THAT(CallCopy::make({SampleTensor{kSampleF32, {2}, {-1}}}, device).error().message,
              HasSubstr("negative strides"));
  EXPECT_EQ(CallCopy::make({SampleTensor{kSampleF32, {std::int64_t{1} << 40}, {}}}, device).error().code,
            ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux
