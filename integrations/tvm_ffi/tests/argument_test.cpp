#include "argument.h"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include "in_process_plugin.h"

namespace kmux::bridge {
namespace {

namespace ffi = ::tvm::ffi;

// Returns the argument that a value becomes, or nothing.
std::optional<Arg> argument(const ffi::AnyView& view) {
  Arg arg(nullptr);
  if (!read_argument(std::bit_cast<TVMFFIAny>(view), &arg)) return std::nullopt;
  return arg;
}

TEST(ArgumentTest, PreservesKindAndValue) {
  DLTensor tensor{};
  EXPECT_EQ(argument(&tensor)->tensor(), &tensor);
  EXPECT_EQ(argument(-3)->integer(), -3);
  EXPECT_EQ(argument(0.5)->floating(), 0.5);
  EXPECT_EQ(argument(true)->kind(), Arg::Kind::kBool);
  EXPECT_EQ(argument(static_cast<void*>(&tensor))->pointer(), &tensor);
  EXPECT_EQ(argument(nullptr)->kind(), Arg::Kind::kTensor);
  EXPECT_EQ(argument(nullptr)->tensor(), nullptr);
}

TEST(ArgumentTest, RejectsStrings) { EXPECT_FALSE(argument(ffi::String("text"))); }

TEST(ArgumentTest, IntegerBecomesAddressForPointerParameter) {
  Arg arg(std::int64_t{64});
  take_address({"p", PointerParam{}}, &arg);
  EXPECT_EQ(arg.pointer(), reinterpret_cast<void*>(64));
  Arg scalar(std::int64_t{64});
  take_address(scalar_param("s", dtype::kInt32), &scalar);
  EXPECT_EQ(scalar.kind(), Arg::Kind::kInteger);
}

bool is_wrong_type(const Param& param, const Arg& arg) {
  const std::array<const Param*, 1> params{&param};
  return has_wrong_type(params, {&arg, 1});
}

TEST(ArgumentTest, DistinguishesWrongTypesFromWrongValues) {
  const Param buffer = buffer_param("x", dtype::kFloat32, {4});
  DLTensor tensor{};
  tensor.dtype = {kDLFloat, 32, 1};
  EXPECT_FALSE(is_wrong_type(buffer, &tensor));
  EXPECT_TRUE(is_wrong_type(buffer, nullptr));
  EXPECT_TRUE(is_wrong_type(buffer, 3));
  tensor.dtype = {kDLFloat, 64, 1};
  EXPECT_TRUE(is_wrong_type(buffer, &tensor));
  EXPECT_TRUE(is_wrong_type(scalar_param("s", dtype::kInt8), 0.5));
  EXPECT_FALSE(is_wrong_type(scalar_param("s", dtype::kInt8), 300));
  EXPECT_FALSE(is_wrong_type(scalar_param("s", dtype::kFloat16), 3));
}

TEST(ArgumentTest, PointerAcceptsIntegersAndTensors) {
  const Param pointer{"p", PointerParam{}};
  DLTensor tensor{};
  for (const Arg& arg : {Arg(3), Arg(std::uint64_t{1} << 63), Arg(&tensor), Arg::pointer(&tensor)})
    EXPECT_FALSE(is_wrong_type(pointer, arg));
  for (const Arg& arg : {Arg(0.5), Arg(true)}) EXPECT_TRUE(is_wrong_type(pointer, arg));
}

TEST(ArgumentTest, WrongArgumentCountIsTypeError) { EXPECT_TRUE(has_wrong_type({}, std::array{Arg(1)})); }

}  // namespace
}  // namespace kmux::bridge
