#include "kernel/argument_checker.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_process_plugin.h"

namespace kmux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Expr kCheckedM = Expr::symbol("m");
const Expr kCheckedN = Expr::symbol("n");
const DType kF32 = dtype::kFloat32;
const DType kInt4{kDLInt, 4, 1};
constexpr std::int64_t kHuge = std::int64_t{1} << 40;

alignas(64) std::array<char, 4096> memory;

// Returns a host tensor over `memory`.
Tensor tensor(std::vector<std::int64_t> shape, DType type = kF32, std::vector<std::int64_t> strides = {}) {
  return Tensor::borrow(memory.data(), std::move(shape), type, {}, std::move(strides));
}

// A checker for a signature, and the results of its last call.
class Checked {
 public:
  explicit Checked(Signature signature, AcceptedMemory accepted = {}, CheckScope scope = CheckScope::kAll)
      : signature_(std::move(signature)),
        checker_("k", signature_, compile_checks(signature_, scope).value(), accepted),
        frame_(checker_.frame_size() + 1) {}
  Checked(std::vector<Param> params, DType symbols = dtype::kInt64)
      : Checked(fake_signature(std::move(params), {}, symbols)) {}

  // Checks a call. Returns "" or the error message.
  std::string operator()(const std::vector<Arg>& args) {
    std::vector<kmux_slot> plain(frame_.size());
    const bool passes = checker_.passes_plainly(args, plain.data());
    const Result<int> status = checker_.check(args, frame_.data());
    if (passes) expect_same(status, plain);
    if (status) return device_ = *status, "";
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message, HasSubstr("kernel \"k\": "));
    return status.error().message;
  }
  std::vector<std::int64_t> values() const {
    const auto values = checker_.values(frame_.data());
    return {values.begin(), values.end()};
  }
  const kmux_slot& slot(std::size_t param) const { return frame_[param]; }
  // Returns the device of the last call that passed.
  int device() const { return device_; }

 private:
  // The fast path must pass no arguments that the check list refuses, and must fill the same frame.
  void expect_same(const Result<int>& status, const std::vector<kmux_slot>& plain) const {
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(*status, checker_.memory().device.device_id);
    for (std::size_t i = 0; i < checker_.frame_size(); ++i) EXPECT_EQ(plain[i].bits, frame_[i].bits) << i;
  }

  Signature signature_;
  ArgumentChecker checker_;
  std::vector<kmux_slot> frame_;
  int device_ = -1;
};

TEST(ArgumentCheckerTest, FillsSlotsAndSymbols) {
  Checked check({buffer_param("A", kF32, {kCheckedM, 64}), scalar_param("s", dtype::kInt8), {"p", PointerParam{}}});
  int target = 0;
  EXPECT_EQ(check({tensor({3, 64}), -1, Arg::pointer(&target)}), "");
  EXPECT_EQ(check.slot(0).ptr, memory.data());
  EXPECT_EQ(check.slot(1).bits, 0xffu);
  EXPECT_EQ(check.slot(2).ptr, &target);
  EXPECT_THAT(check.values(), ElementsAre(3));
}

TEST(ArgumentCheckerTest, ReportsActualAndExpectedValues) {
  Checked check({buffer_param("A", dtype::kFloat16, {kCheckedM, 64})});
  EXPECT_EQ(check({tensor({4, 63}, dtype::kFloat16)}),
            "kernel \"k\": parameter \"A\" has shape[1] = 63 (expected 64). Pass a tensor of float16[m, 64].");
  EXPECT_THAT(check({tensor({4, 64})}), HasSubstr("has dtype float32 (expected float16)"));
  EXPECT_THAT(check({tensor({4}, dtype::kFloat16)}), HasSubstr("has 1 dimensions (expected 2)"));
  EXPECT_THAT(check({1.5}), HasSubstr("is the number 1.5 (expected a tensor)"));
  EXPECT_THAT(check({nullptr}), HasSubstr("\"A\" is null"));
}

TEST(ArgumentCheckerTest, AcceptsCompatibleDtypes) {
  const auto accepts = [](DType expected, DType actual) {
    return Checked({buffer_param("A", expected, {4})})({tensor({4}, actual)}).empty();
  };
  EXPECT_TRUE(accepts(dtype::kBool, dtype::kInt8));
  EXPECT_TRUE(accepts(dtype::kBool, dtype::kUInt8));
  EXPECT_TRUE(accepts(dtype::kUInt8, dtype::kBool));
  EXPECT_FALSE(accepts(dtype::kUInt8, dtype::kInt8));
  EXPECT_TRUE(accepts(dtype::kFloat8E4M3, dtype::kFloat8E4M3FN));
  EXPECT_TRUE(accepts(dtype::kFloat8E4M3FNUZ, dtype::kFloat8E4M3));
  EXPECT_TRUE(accepts(dtype::kFloat8E5M2, dtype::kFloat8E5M2FNUZ));
  EXPECT_FALSE(accepts(dtype::kFloat8E5M2, dtype::kFloat8E4M3));
  EXPECT_FALSE(accepts(dtype::kFloat16, dtype::kBFloat16));
  EXPECT_TRUE(accepts(kInt4, {kDLUInt, 4, 1}));
}

TEST(ArgumentCheckerTest, ComparesEveryCarrierOfASymbol) {
  Checked check({buffer_param("A", kF32, {kCheckedM}), buffer_param("B", kF32, {kCheckedM}),
                 buffer_param("C", kF32, {8, kCheckedM})});
  EXPECT_EQ(check({tensor({4}), tensor({4}), tensor({8, 4})}), "");
  EXPECT_THAT(check({tensor({4}), tensor({5}), tensor({8, 4})}),
              HasSubstr("parameter \"B\" has shape[0] = 5 (expected m, and m = 4 from shape[0] of \"A\")"));
  EXPECT_THAT(check({tensor({4}), tensor({4}), tensor({8, 3})}), HasSubstr("\"C\" has shape[1] = 3"));
}

TEST(ArgumentCheckerTest, SolvesLinearExtents) {
  Checked check({buffer_param("A", kF32, {kCheckedN * Expr(4)}), buffer_param("B", kF32, {kCheckedN + Expr(2)}),
                 buffer_param("C", kF32, {Expr(10) - kCheckedN})});
  EXPECT_EQ(check({tensor({12}), tensor({5}), tensor({7})}), "");
  EXPECT_THAT(check.values(), ElementsAre(3));
  EXPECT_THAT(check({tensor({13}), tensor({5}), tensor({7})}),
              HasSubstr("\"A\" has shape[0] = 13 (expected n * 4, and no integer n gives that)"));
  EXPECT_THAT(check({tensor({12}), tensor({6}), tensor({7})}), HasSubstr("\"B\" has shape[0] = 6"));
  EXPECT_THAT(check({tensor({12}), tensor({5}), tensor({8})}), HasSubstr("\"C\" has shape[0] = 8"));
}

TEST(ArgumentCheckerTest, ComputesNonlinearExtents) {
  Checked check({buffer_param("A", kF32, {kCheckedM, kCheckedN}),
                 buffer_param("B", kF32, {ceildiv(kCheckedN, 128) * Expr(4)}),
                 buffer_param("C", kF32, {kCheckedM * kCheckedN})});
  EXPECT_EQ(check({tensor({2, 129}), tensor({8}), tensor({258})}), "");
  EXPECT_THAT(check({tensor({2, 129}), tensor({4}), tensor({258})}),
              HasSubstr("\"B\" has shape[0] = 4 (expected ceildiv(n, 128) * 4 = 8 with n = 129)"));
  EXPECT_THAT(check({tensor({2, 129}), tensor({8}), tensor({257})}),
              HasSubstr("(expected m * n = 258 with m = 2, n = 129)"));
  EXPECT_THAT(check({tensor({kHuge, kHuge}, kF32, {1, 1}), tensor({8}), tensor({1})}), HasSubstr("contiguous"));
}

TEST(ArgumentCheckerTest, ReportsWhyExtentCannotBeComputed) {
  Checked check({buffer_param("A", kF32, {kCheckedM}), buffer_param("B", kF32, {floordiv(8, kCheckedM)})});
  EXPECT_THAT(check({tensor({0}), tensor({8})}), AllOf(HasSubstr("\"B\" has no size"), HasSubstr("division by zero")));
}

TEST(ArgumentCheckerTest, AcceptsIntegerScalarsInShapes) {
  Checked check({buffer_param("A", kF32, {kCheckedN}), scalar_param("n", dtype::kInt32)});
  EXPECT_EQ(check({tensor({5}), 5}), "");
  EXPECT_THAT(check({tensor({5}), 6}), HasSubstr("\"A\" has shape[0] = 5 (expected n = 6 with n = 6)"));
  EXPECT_THAT(check({tensor({0}), -1}), HasSubstr("\"A\" has shape[0] = 0 (expected n = -1"));
  Checked wide({buffer_param("A", kF32, {kCheckedN}), scalar_param("n", dtype::kUInt64)});
  EXPECT_THAT(wide({tensor({5}), std::numeric_limits<std::uint64_t>::max()}), HasSubstr("uses it as int64"));
}

TEST(ArgumentCheckerTest, RejectsNegativeExtents) {
  Checked check({buffer_param("A", kF32, {kCheckedM})});
  EXPECT_THAT(check({tensor({-1})}), HasSubstr("\"A\" has shape[0] = -1 (an extent is not negative)"));
}

TEST(ArgumentCheckerTest, ChecksRangeOfNarrowSymbols) {
  Checked check({buffer_param("A", kF32, {kCheckedM, 0})}, dtype::kInt32);
  EXPECT_EQ(check({tensor({7, 0})}), "");
  EXPECT_THAT(check({tensor({kHuge, 0})}), AllOf(HasSubstr("m = 1099511627776"), HasSubstr("int32")));
}

TEST(ArgumentCheckerTest, TreatsMissingStridesAsContiguous) {
  Checked check({buffer_param("A", kF32, {2, 3})});
  DLTensor bare = *tensor({2, 3}).dl();
  std::array<std::int64_t, 2> shape{2, 3};
  bare.shape = shape.data();
  bare.strides = nullptr;
  EXPECT_EQ(check({&bare}), "");
  EXPECT_THAT(check({tensor({2, 3}, kF32, {4, 1})}),
              AllOf(HasSubstr("Expected parameter \"A\" to be a contiguous tensor"), HasSubstr("strides [4, 1]")));
  EXPECT_THAT(check({tensor({2, 3}, kF32, {1, 2})}), HasSubstr("contiguous"));
}

TEST(ArgumentCheckerTest, IgnoresIrrelevantStrides) {
  Checked check({buffer_param("A", kF32, {kCheckedM, kCheckedN})});
  EXPECT_EQ(check({tensor({1, 3}, kF32, {77, 1})}), "");
  EXPECT_EQ(check({tensor({3, 1}, kF32, {1, 77})}), "");
  EXPECT_EQ(check({tensor({0, 3}, kF32, {5, 9})}), "");
}

TEST(ArgumentCheckerTest, ComparesDeclaredStrides) {
  Checked check({{"A", BufferParam{kF32, {4, 8}, std::vector<Expr>{16, 1}}}});
  EXPECT_EQ(check({tensor({4, 8}, kF32, {16, 1})}), "");
  EXPECT_THAT(check({tensor({4, 8})}), HasSubstr("\"A\" has strides[0] = 8 (expected 16)"));
  EXPECT_THAT(check({tensor({4, 8}, kF32, {16, 2})}), HasSubstr("strides[1] = 2 (expected 1)"));
}

TEST(ArgumentCheckerTest, BindsStrideSymbols) {
  const Expr s = Expr::symbol("s");
  Checked check({{"A", BufferParam{kF32, {4, 8}, std::vector<Expr>{s, 1}}},
                 {"B", BufferParam{kF32, {kCheckedM, 8}, std::vector<Expr>{s, 1}}}});
  EXPECT_EQ(check({tensor({4, 8}, kF32, {16, 1}), tensor({2, 8}, kF32, {16, 1})}), "");
  EXPECT_THAT(check.values(), ElementsAre(2, 16));
  EXPECT_THAT(check({tensor({4, 8}, kF32, {16, 1}), tensor({2, 8}, kF32, {24, 1})}),
              HasSubstr("\"B\" has strides[0] = 24 (expected s, and s = 16 from strides[0] of \"A\")"));
  EXPECT_EQ(check({tensor({4, 8}, kF32, {16, 1}), tensor({1, 8}, kF32, {24, 1})}), "");
}

TEST(ArgumentCheckerTest, BindsIrrelevantStridesLast) {
  const Expr s = Expr::symbol("s");
  Checked check({{"A", BufferParam{kF32, {kCheckedM, 8}, std::vector<Expr>{s * Expr(2), 1}}},
                 {"B", BufferParam{kF32, {4, 8}, std::vector<Expr>{s, 1}}}});
  EXPECT_EQ(check({tensor({1, 8}, kF32, {7, 1}), tensor({4, 8}, kF32, {12, 1})}), "");
  EXPECT_THAT(check.values(), ElementsAre(1, 12));
  Checked alone({{"A", BufferParam{kF32, {kCheckedM, 8}, std::vector<Expr>{s * Expr(2), 1}}}});
  EXPECT_EQ(alone({tensor({1, 8}, kF32, {7, 1})}), "");
  EXPECT_THAT(alone.values(), ElementsAre(1, 3));
}

TEST(ArgumentCheckerTest, ComputesStrides) {
  Checked check(
      {{"A", BufferParam{kF32, {kCheckedM, kCheckedN}, std::vector<Expr>{ceildiv(kCheckedN, 4) * Expr(4), 1}}}});
  EXPECT_EQ(check({tensor({2, 5}, kF32, {8, 1})}), "");
  EXPECT_THAT(check({tensor({2, 5}, kF32, {5, 1})}),
              HasSubstr("strides[0] = 5 (expected ceildiv(n, 4) * 4 = 8 with n = 5)"));
  EXPECT_EQ(check({tensor({1, 5}, kF32, {5, 1})}), "");
}

TEST(ArgumentCheckerTest, CountsElementsOfSubByteTypes) {
  Checked check({buffer_param("A", kInt4, {kCheckedM, 6})});
  EXPECT_EQ(check({tensor({2, 6}, kInt4)}), "");
  EXPECT_EQ(check({tensor({2, 3}, dtype::kInt8)}), "");
  EXPECT_EQ(check({tensor({2, 3}, {kDLInt, 4, 2})}), "");
  EXPECT_THAT(check({tensor({2, 6}, dtype::kInt8)}), HasSubstr("has shape[1] = 12 (expected 6)"));
  EXPECT_THAT(check({tensor({2, 3}, dtype::kInt16)}), HasSubstr("has dtype int16 (expected int4)"));
}

TEST(ArgumentCheckerTest, ScalesStridesOfSubByteStorage) {
  Checked check({{"A", BufferParam{kInt4, {4, kCheckedN}, std::vector<Expr>{Expr::symbol("s"), 1}}}});
  EXPECT_EQ(check({tensor({4, 3}, dtype::kUInt8, {3, 1})}), "");
  EXPECT_THAT(check.values(), ElementsAre(6, 6));
  EXPECT_EQ(check({tensor({4, 6}, kInt4, {8, 1})}), "");
  EXPECT_THAT(check.values(), ElementsAre(6, 8));
}

TEST(ArgumentCheckerTest, SkipsNullForNullableTensors) {
  Checked check({{"A", BufferParam{kF32, {kCheckedM, 8}, {}, 0, true}},
                 {"B", BufferParam{kF32, {kCheckedM, kCheckedM * kCheckedM}, {}, 0, true}},
                 buffer_param("C", kF32, {4})});
  EXPECT_EQ(check({nullptr, tensor({3, 9}), tensor({4})}), "");
  EXPECT_EQ(check.slot(0).ptr, nullptr);
  EXPECT_THAT(check.values(), ElementsAre(3));
  EXPECT_EQ(check({tensor({3, 8}), nullptr, tensor({4})}), "");
  EXPECT_THAT(check({nullptr, nullptr, tensor({4})}),
              HasSubstr("symbol \"m\" requires at least one non-null tensor among \"A\", \"B\""));
  EXPECT_THAT(check({tensor({3, 8}), nullptr, nullptr}), HasSubstr("\"C\" is null"));
  EXPECT_THAT(check({tensor({3, 7}), nullptr, tensor({4})}), HasSubstr("shape[1] = 7"));
}

TEST(ArgumentCheckerTest, RejectsNonemptyTensorWithoutMemory) {
  Checked check({buffer_param("A", kF32, {kCheckedM})});
  EXPECT_EQ(check({Tensor::borrow(nullptr, {0}, kF32)}), "");
  EXPECT_EQ(check.slot(0).ptr, nullptr);
  EXPECT_THAT(check({Tensor::borrow(nullptr, {4}, kF32)}), HasSubstr("\"A\" has no memory"));
}

TEST(ArgumentCheckerTest, AddsByteOffsetAndChecksAlignment) {
  Checked check({buffer_param("A", kF32, {4})});
  DLTensor view = *tensor({4}).dl();
  std::array<std::int64_t, 1> shape{4};
  view.shape = shape.data();
  view.strides = nullptr;
  view.byte_offset = 8;
  EXPECT_EQ(check({&view}), "");
  EXPECT_EQ(check.slot(0).ptr, memory.data() + 8);
  view.byte_offset = 6;
  EXPECT_THAT(check({&view}), HasSubstr("\"A\" is not aligned to 4 bytes (its offset is 2)"));
  Checked strict({{"A", BufferParam{kF32, {4}, {}, 32}}});
  view.byte_offset = 16;
  EXPECT_THAT(strict({&view}), HasSubstr("not aligned to 32 bytes"));
}

TEST(ArgumentCheckerTest, RejectsTensorsOnAnotherDevice) {
  const Signature signature = fake_signature({buffer_param("A", kF32, {4})});
  Checked device(signature, {{kDLExtDev, 1}, std::uint64_t{1} << kDLOneAPI});
  DLTensor view = *tensor({4}).dl();
  std::array<std::int64_t, 1> shape{4};
  view.shape = shape.data();
  view.strides = nullptr;
  view.device = {kDLExtDev, 1};
  EXPECT_EQ(device({&view}), "");
  view.device = {kDLExtDev, 0};
  EXPECT_THAT(device({&view}), AllOf(HasSubstr("\"A\" is on ext_dev:0 (the kernel runs on ext_dev:1)"),
                                     HasSubstr("tensor.to(kernel.device())")));
  view.device = {kDLOneAPI, 5};
  EXPECT_EQ(device({&view}), "");
  view.device = {kDLCPU, 0};
  EXPECT_THAT(device({&view}), HasSubstr("is on cpu (the kernel runs on ext_dev:1)"));
  Checked host(signature);
  view.device = {kDLCPU, 3};
  EXPECT_EQ(host({&view}), "");
}

TEST(ArgumentCheckerTest, FindsCommonDeviceOfAllTensors) {
  const Signature signature = fake_signature({buffer_param("A", kF32, {4}), buffer_param("B", kF32, {4})});
  Checked check(signature, {{kDLExtDev, 0}, 0, 0b1101});
  DLTensor a = *tensor({4}).dl();
  std::array<std::int64_t, 1> shape{4};
  a.shape = shape.data();
  a.strides = nullptr;
  DLTensor b = a;
  const auto on = [&](int first, int second) {
    a.device = {kDLExtDev, first};
    b.device = {kDLExtDev, second};
    return check({&a, &b});
  };
  EXPECT_EQ(on(0, 0), "");
  EXPECT_EQ(check.device(), 0);
  EXPECT_EQ(on(3, 3), "");
  EXPECT_EQ(check.device(), 3);
  EXPECT_THAT(on(1, 1), HasSubstr("\"A\" is on ext_dev:1 (the kernel runs on ext_dev:0)"));
  EXPECT_THAT(on(64, 64), HasSubstr("\"A\" is on ext_dev:64"));
  EXPECT_THAT(on(-1, -1), HasSubstr("\"A\" is on ext_dev:-1"));
  EXPECT_THAT(on(0, 3), HasSubstr("\"B\" is on ext_dev:3 (the tensors before it are on ext_dev:0)"));
  EXPECT_THAT(on(3, 0), HasSubstr("\"B\" is on ext_dev:0 (the tensors before it are on ext_dev:3)"));
}

TEST(ArgumentCheckerTest, ReportsInvalidScalars) {
  Checked check({scalar_param("s", dtype::kInt8)});
  EXPECT_THAT(check({300}), HasSubstr("parameter \"s\" is the integer 300 (expected a int8 scalar)"));
  EXPECT_THAT(check({1.5}), HasSubstr("is the number 1.5"));
  EXPECT_THAT(check({tensor({4})}), HasSubstr("is a tensor float32[4]"));
}

TEST(ArgumentCheckerTest, AcceptsTensorsNullAndIntegersAsPointers) {
  Checked check({{"p", PointerParam{}}});
  EXPECT_EQ(check({tensor({4}, dtype::kInt64)}), "");
  EXPECT_EQ(check.slot(0).ptr, memory.data());
  EXPECT_EQ(check({nullptr}), "");
  EXPECT_EQ(check.slot(0).ptr, nullptr);
  EXPECT_EQ(check({std::uint64_t{4096}}), "");
  EXPECT_EQ(check.slot(0).bits, 4096u);
  EXPECT_THAT(check({1.5}), HasSubstr("\"p\" is the number 1.5 (expected a pointer)"));
}

TEST(ArgumentCheckerTest, ChecksOnlyInputs) {
  const Signature signature =
      fake_signature({buffer_param("C", kF32, {kCheckedM, kCheckedN}), buffer_param("A", kF32, {kCheckedM})}, {"C"});
  Checked check(signature, {}, CheckScope::kInputs);
  EXPECT_THAT(check({nullptr, tensor({4})}), HasSubstr("symbol \"n\" has no value (no input carries it)"));
  Checked square(
      fake_signature({buffer_param("C", kF32, {kCheckedM, kCheckedM}), buffer_param("A", kF32, {kCheckedM})}, {"C"}),
      {}, CheckScope::kInputs);
  EXPECT_EQ(square({nullptr, tensor({4})}), "");
  EXPECT_THAT(square.values(), ElementsAre(4));
}

TEST(ArgumentCheckerTest, AcceptsZeroDimensionalTensors) {
  Checked check({buffer_param("A", kF32, {})});
  EXPECT_EQ(check({tensor({})}), "");
  EXPECT_THAT(check({tensor({1})}), HasSubstr("has 1 dimensions (expected 0)"));
}

}  // namespace
}  // namespace kmux
