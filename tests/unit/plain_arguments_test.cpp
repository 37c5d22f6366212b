#include "kernel/plain_arguments.h"

#include <array>
#include <bit>

#include <gtest/gtest.h>

#include "in_process_plugin.h"

namespace kmux {
namespace {

const Expr kPlainM = Expr::symbol("m");
const Expr kPlainN = Expr::symbol("n");
const DType kPlainF32 = dtype::kFloat32;

alignas(64) std::array<char, 4096> plain_memory;

Tensor plain_tensor(std::vector<std::int64_t> shape, DType type = kPlainF32, std::vector<std::int64_t> strides = {}) {
  return Tensor::borrow(plain_memory.data(), std::move(shape), type, {}, std::move(strides));
}

PlainArguments plain_of(const Signature& signature) {
  return PlainArguments::of(compile_checks(signature).value(), signature.params.size(), {kDLCPU, 0});
}

// Parameters x: [m, n] and y: [n, 4].
class PlainArgumentsTest : public testing::Test {
 protected:
  bool fills(const Tensor& x, const Tensor& y) { return fills({Arg(x), Arg(y)}); }
  bool fills(std::array<Arg, 2> args) { return plain_.fill(args.data(), slots_.data()); }

  Signature signature_ =
      fake_signature({buffer_param("x", kPlainF32, {kPlainM, kPlainN}), buffer_param("y", kPlainF32, {kPlainN, 4})}, {},
                     dtype::kInt32);
  PlainArguments plain_ = plain_of(signature_);
  std::array<kmux_slot, 8> slots_{};
};

TEST_F(PlainArgumentsTest, FillsAddressesAndSymbols) {
  EXPECT_FALSE(plain_.empty());
  EXPECT_TRUE(fills(plain_tensor({2, 3}), plain_tensor({3, 4})));
  EXPECT_EQ(slots_[0].ptr, plain_memory.data());
  EXPECT_EQ(slots_[1].ptr, plain_memory.data());
  EXPECT_EQ(slots_[2].i64, 2);
  EXPECT_EQ(slots_[3].i64, 3);
  EXPECT_TRUE(fills(plain_tensor({2, 3}, kPlainF32, {3, 1}), plain_tensor({3, 4}, kPlainF32, {4, 1})));
}

TEST_F(PlainArgumentsTest, RejectsUnusualTensors) {
  const Tensor x = plain_tensor({2, 3});
  const Tensor y = plain_tensor({3, 4});
  EXPECT_FALSE(fills(plain_tensor({2, 3}, dtype::kFloat16), y));
  EXPECT_FALSE(fills(plain_tensor({6}), y));
  EXPECT_FALSE(fills(x, plain_tensor({4, 4}))) << "n is 3 and 4";
  EXPECT_FALSE(fills(x, plain_tensor({3, 5}))) << "a constant";
  EXPECT_FALSE(fills(plain_tensor({2, 3}, kPlainF32, {6, 2}), y)) << "gaps";
  EXPECT_FALSE(fills(Tensor::borrow(plain_memory.data() + 1, {2, 3}, kPlainF32, {}, {}), y)) << "alignment";
  EXPECT_FALSE(fills(Tensor::borrow(nullptr, {0, 3}, kPlainF32, {}, {}), y)) << "no memory";
  EXPECT_FALSE(fills(plain_tensor({std::int64_t{1} << 40, 3}), y)) << "more than int32 holds";
  EXPECT_FALSE(fills({Arg(nullptr), Arg(y)}));
  EXPECT_FALSE(fills({Arg(7), Arg(y)}));
  DLTensor elsewhere = *y.dl();
  EXPECT_TRUE(fills({Arg(x), Arg(&elsewhere)}));
  elsewhere.device = {kDLCUDA, 0};
  EXPECT_FALSE(fills({Arg(x), Arg(&elsewhere)}));
}

// Parameters s: int32, x: [m], a: float32 and d: float64.
class PlainScalarsTest : public testing::Test {
 protected:
  bool fills(const Arg& s, const Arg& a, const Arg& d) {
    const Tensor x = plain_tensor({2});
    const std::array<Arg, 4> args{s, Arg(x), a, d};
    return plain_.fill(args.data(), slots_.data());
  }

  PlainArguments plain_ =
      plain_of(fake_signature({scalar_param("s", dtype::kInt32), buffer_param("x", kPlainF32, {kPlainM}),
                               scalar_param("a", kPlainF32), scalar_param("d", dtype::kFloat64)}));
  std::array<kmux_slot, 8> slots_{};
};

TEST_F(PlainScalarsTest, FillsScalarBits) {
  EXPECT_FALSE(plain_.empty());
  EXPECT_TRUE(fills(Arg(-5), Arg(0.5), Arg(-0.1)));
  EXPECT_EQ(slots_[0].bits, 0xFFFFFFFBU) << "zero-extended";
  EXPECT_EQ(slots_[1].ptr, plain_memory.data());
  EXPECT_EQ(slots_[2].bits, std::bit_cast<std::uint32_t>(0.5F));
  EXPECT_EQ(slots_[3].bits, std::bit_cast<std::uint64_t>(-0.1));
  EXPECT_EQ(slots_[4].i64, 2) << "m";
}

TEST_F(PlainScalarsTest, RejectsUnusualScalars) {
  EXPECT_FALSE(fills(Arg(std::int64_t{1} << 31), Arg(0.5), Arg(0.5))) << "more than int32 holds";
  EXPECT_FALSE(fills(Arg(5U), Arg(0.5), Arg(0.5)));
  EXPECT_FALSE(fills(Arg(5.0), Arg(0.5), Arg(0.5)));
  EXPECT_FALSE(fills(Arg(5), Arg(1), Arg(0.5))) << "an integer for a floating-point number";
  EXPECT_FALSE(fills(Arg(5), Arg(0.5), Arg(true)));
  EXPECT_FALSE(fills(Arg(nullptr), Arg(0.5), Arg(0.5)));
}

TEST_F(PlainArgumentsTest, AreEmptyForUnsupportedSignatures) {
  EXPECT_TRUE(plain_of(fake_signature({buffer_param("x", kPlainF32, {kPlainM * 2})})).empty());
  const Param tensor = buffer_param("x", kPlainF32, {kPlainM});
  const Expr scalar = Expr::symbol("s");
  EXPECT_TRUE(
      plain_of(fake_signature({tensor, buffer_param("y", kPlainF32, {scalar}), scalar_param("s", dtype::kInt32)}))
          .empty())
      << "an extent to be computed";
  EXPECT_TRUE(plain_of(fake_signature({tensor, scalar_param("s", dtype::kUInt32)})).empty());
  EXPECT_TRUE(plain_of(fake_signature({tensor, scalar_param("s", dtype::kFloat16)})).empty());
  kmux_slot slots[2];
  const std::array<Arg, 1> args{Arg(nullptr)};
  EXPECT_FALSE(PlainArguments().fill(args.data(), slots));
}

}  // namespace
}  // namespace kmux
