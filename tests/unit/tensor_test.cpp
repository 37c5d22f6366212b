#include "kmux/tensor.h"

#include <array>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor iota(std::vector<std::int64_t> shape) {
  const Tensor tensor = Tensor::empty(std::move(shape), dtype::kInt32).value();
  std::iota(tensor.data_as<int>(), tensor.data_as<int>() + tensor.element_count(), 0);
  return tensor;
}

std::vector<int> values(const Tensor& tensor) {
  return {tensor.data_as<int>(), tensor.data_as<int>() + tensor.element_count()};
}

TEST(TensorTest, HostMemoryIsAligned) {
  const Tensor tensor = Tensor::empty({3, 5}, dtype::kFloat32).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0u);
  EXPECT_THAT(tensor.shape(), ElementsAre(3, 5));
  EXPECT_EQ(tensor.byte_count(), 60);
  EXPECT_TRUE(tensor.is_contiguous());
  EXPECT_EQ(tensor.dl()->strides[0], 5);
  EXPECT_EQ(describe(*tensor.dl()), "float32[3, 5]");
}

TEST(TensorTest, DefaultTensorIsNull) {
  const Tensor none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.dl(), nullptr);
  EXPECT_EQ(none.to_dlpack(), nullptr);
  EXPECT_FALSE(none.clone().ok());
}

TEST(TensorTest, AcceptsZeroDimensionsAndZeroExtents) {
  EXPECT_EQ(Tensor::zeros({}, dtype::kFloat64).value().element_count(), 1);
  EXPECT_EQ(Tensor::zeros({4, 0, 7}, dtype::kFloat64).value().byte_count(), 0);
  EXPECT_TRUE(Tensor::zeros({INT64_MAX, 0, INT64_MAX}, dtype::kFloat64).ok());
}

TEST(TensorTest, SubByteElementsArePacked) {
  EXPECT_EQ(Tensor::zeros({3}, DType{kDLInt, 4, 1}).value().byte_count(), 2);
}

TEST(TensorTest, RejectsNegativeAndOversizedShapes) {
  const auto negative = Tensor::empty({2, -1}, dtype::kInt8);
  ASSERT_FALSE(negative.ok());
  EXPECT_EQ(negative.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(negative.error().message, HasSubstr("[2, -1]"));
  const auto uncountable = Tensor::empty({INT64_MAX / 2, 3}, dtype::kFloat32);
  ASSERT_FALSE(uncountable.ok());
  EXPECT_EQ(uncountable.error().code, ErrorCode::kInvalidArgument);
  const auto huge = Tensor::empty({INT64_MAX / 64}, dtype::kFloat32);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kOutOfMemory);
  EXPECT_THAT(huge.error().message, HasSubstr("out of memory"));
}

TEST(TensorTest, CopiesShareMemoryAndClonesDoNot) {
  const Tensor first = iota({4});
  const Tensor second = first;
  EXPECT_EQ(first.data(), second.data());
  const Tensor clone = first.clone().value();
  EXPECT_NE(first.data(), clone.data());
  EXPECT_EQ(values(clone), values(first));
}

TEST(TensorTest, FromChecksElementCount) {
  const std::vector<int> three{1, 2, 3};
  EXPECT_TRUE(Tensor::from<int>({3}, dtype::kInt32, three).ok());
  const auto wrong = Tensor::from<int>({4}, dtype::kInt32, three);
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("16 bytes"));
}

template <class T>
std::string refusal(std::vector<std::int64_t> shape, DType dtype, std::vector<T> values) {
  const auto made = Tensor::from<T>(std::move(shape), dtype, values);
  return made ? "" : made.error().message;
}

TEST(TensorTest, FromRejectsValuesOfAnotherType) {
  EXPECT_THAT(refusal<int>({4}, dtype::kFloat32, {1, 2, 3, 4}),
              HasSubstr("values of type int32 are not elements of a float32 tensor"));
  EXPECT_THAT(refusal<double>({4}, dtype::kFloat32, {1, 2}), HasSubstr("values of type float64"));
  EXPECT_THAT(refusal<unsigned>({1}, dtype::kInt32, {1}), HasSubstr("values of type uint32"));
  EXPECT_THAT(refusal<std::uint16_t>({1}, dtype::kBFloat16, {0x3f80}), HasSubstr("to from_bits"));
  EXPECT_EQ(refusal<float>({2}, DType{kDLFloat, 32, 2}, {1, 2, 3, 4}), "") << "a vector of that type";
}

TEST(TensorTest, FromDeducesDTypeOfValues) {
  const std::vector<float> floats{1, 2};
  EXPECT_EQ(Tensor::from({2}, floats).value().dtype(), dtype::kFloat32);
  EXPECT_EQ(Tensor::from({1}, std::array{1.0}).value().dtype(), dtype::kFloat64);
  EXPECT_EQ(Tensor::from({1}, std::array{true}).value().dtype(), dtype::kBool);
  EXPECT_EQ(Tensor::from({1}, std::array<unsigned long long, 1>{7}).value().dtype(), dtype::kUInt64);
  EXPECT_EQ(Tensor::from({1}, std::array<signed char, 1>{7}).value().dtype(), dtype::kInt8);
  EXPECT_EQ(values(Tensor::from({2}, std::span<const int>(std::array{3, 4})).value()), (std::vector{3, 4}));
  EXPECT_EQ(Tensor::from<float>({2}, floats).value().dtype(), dtype::kFloat32);
  EXPECT_FALSE(Tensor::from({3}, floats).ok());
}

TEST(TensorTest, FromBitsAcceptsWordsOfElementSize) {
  const std::array<std::uint16_t, 2> halves{0x3f80, 0x4000};
  const Tensor bf16 = Tensor::from_bits<std::uint16_t>({2}, dtype::kBFloat16, halves).value();
  EXPECT_EQ(bf16.dtype(), dtype::kBFloat16);
  EXPECT_EQ(bf16.data_as<std::uint16_t>()[1], 0x4000);
  const std::array<std::uint8_t, 2> bytes{1, 2};
  EXPECT_TRUE(Tensor::from_bits<std::uint8_t>({2}, dtype::kFloat8E5M2, bytes).ok());
  EXPECT_TRUE(Tensor::from_bits<std::uint8_t>({4}, DType{kDLInt, 4, 1}, bytes).ok()) << "two in a byte";
  EXPECT_FALSE(Tensor::from_bits<std::uint16_t>({1}, dtype::kFloat32, halves).ok());
}

TEST(TensorTest, ClonePacksStridedMemory) {
  const Tensor memory = iota({2, 3});
  const Tensor transposed = Tensor::borrow(memory.data(), {3, 2}, dtype::kInt32, {}, {1, 3});
  EXPECT_FALSE(transposed.is_contiguous());
  EXPECT_THAT(values(transposed.clone().value()), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(TensorTest, RequiresOneStridePerExtent) {
  const Tensor memory = iota({2, 3});
  const auto refused = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const Exception& exception) {
      return exception.error().message;
    }
    return "";
  };
  EXPECT_THAT(refused([&] { return memory.as_strided({2, 3}, {3}); }), HasSubstr("1 strides are given for 2 extents"));
  EXPECT_THAT(refused([&] { return memory.as_strided({2}, {}); }), HasSubstr("0 strides are given for 1 extents"));
  EXPECT_THAT(refused([&] { return Tensor::borrow(memory.data(), {2, 3}, dtype::kInt32, {}, {1, 1, 1}); }),
              HasSubstr("3 strides are given for 2 extents"));
  EXPECT_EQ(refused([&] { return memory.as_strided({}, {}); }), "");
  EXPECT_THAT(refused([] { return Tensor().as_strided({4}, {1}); }), HasSubstr("a null tensor has no view"));
}

TEST(TensorTest, IgnoresStridesOfExtentOne) {
  const Tensor memory = iota({6});
  EXPECT_TRUE(Tensor::borrow(memory.data(), {1, 6}, dtype::kInt32, {}, {99, 1}).is_contiguous());
}

TEST(TensorTest, ExportsAndImportsDlpack) {
  Tensor imported;
  {
    const Tensor tensor = iota({2, 2});
    imported = Tensor::from_dlpack(tensor.to_dlpack()).value();
    EXPECT_EQ(imported.data(), tensor.data());
  }
  EXPECT_THAT(values(imported), ElementsAre(0, 1, 2, 3));
  const Tensor versioned = Tensor::from_dlpack(imported.to_dlpack_versioned()).value();
  EXPECT_THAT(versioned.shape(), ElementsAre(2, 2));
}

struct Foreign {
  DLManagedTensorVersioned managed{};
  std::int64_t shape[1] = {3};
  int data[4] = {7, 1, 2, 3};
  int deleted = 0;
  explicit Foreign(std::uint32_t major = 1) {
    managed.version = {major, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
    managed.dl_tensor = {data, {kDLCPU, 0}, 1, {kDLInt, 32, 1}, shape, nullptr, sizeof(int)};
  }
};

TEST(TensorTest, DeleterOfForeignTensorRunsOnce) {
  Foreign foreign;
  {
    const Tensor tensor = Tensor::from_dlpack(&foreign.managed).value();
    const Tensor copy = tensor;
    EXPECT_THAT(values(copy), ElementsAre(1, 2, 3));  // byte_offset is honoured
    EXPECT_TRUE(copy.is_contiguous());                // no strides means contiguous
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(TensorTest, RejectsOtherDlpackMajorVersions) {
  Foreign foreign(2);
  const auto tensor = Tensor::from_dlpack(&foreign.managed);
  ASSERT_FALSE(tensor.ok());
  EXPECT_THAT(tensor.error().message, HasSubstr("version 2.0"));
  EXPECT_EQ(foreign.deleted, 0);
  EXPECT_FALSE(Tensor::from_dlpack(static_cast<DLManagedTensor*>(nullptr)).ok());
}

TEST(TensorTest, RejectsCopyFromForeignDevice) {
  Foreign foreign;
  foreign.managed.dl_tensor.device = {kDLVulkan, 3};
  const Tensor tensor = Tensor::from_dlpack(&foreign.managed).value();
  EXPECT_EQ(tensor.device().to_string(), "device type 7:3");
  const auto copy = tensor.to(Device{});
  ASSERT_FALSE(copy.ok());
  EXPECT_EQ(copy.error().code, ErrorCode::kUnsupported);
}

TEST(TensorTest, RejectsAllocationOnForeignDevice) {
  const auto tensor = Tensor::zeros({2}, dtype::kFloat32, Device::foreign({kDLVulkan, 3}));
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(tensor.error().message, HasSubstr("memory cannot be allocated on device type 7:3 (it came from outside"));
}

TEST(TensorTest, KeepsReadOnlyFlag) {
  DLManagedTensorVersioned* managed = Tensor::zeros({2}, dtype::kFloat32).value().to_dlpack_versioned();
  EXPECT_EQ(managed->flags, 0u);
  managed->flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  const Tensor tensor = Tensor::from_dlpack(managed).value();
  EXPECT_TRUE(tensor.is_read_only());
  EXPECT_FALSE(tensor.clone().value().is_read_only());
  EXPECT_EQ(tensor.to_dlpack(), nullptr);  // the unversioned form has no read-only flag
  DLManagedTensorVersioned* exported = tensor.to_dlpack_versioned();
  EXPECT_EQ(exported->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  exported->deleter(exported);
}

TEST(TensorTest, RejectsDimensionsWithoutShape) {
  DLManagedTensor managed{};
  managed.dl_tensor.ndim = 2;
  const auto tensor = Tensor::from_dlpack(&managed);
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.error().code, ErrorCode::kInvalidArgument);
  managed.dl_tensor.ndim = -1;
  EXPECT_FALSE(Tensor::from_dlpack(&managed).ok());
}

// Such memory cannot exist, but a borrowed tensor may claim it.
TEST(TensorTest, SaturatesCountsBeyond64Bits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t huge = std::int64_t{1} << 62;
  float value = 0;
  const Tensor tensor = Tensor::borrow(&value, {huge, 4}, dtype::kFloat32);
  EXPECT_EQ(tensor.element_count(), kMost) << "not 0, to which the product wraps";
  EXPECT_EQ(tensor.byte_count(), kMost);
  EXPECT_THAT(tensor.clone().error().message, HasSubstr("too many bytes to count"));
  const Tensor bytes = Tensor::borrow(&value, {huge}, dtype::kFloat32);
  EXPECT_EQ(bytes.element_count(), huge);
  EXPECT_EQ(bytes.byte_count(), kMost) << "not 0, to which the number of bits wraps";
}

TEST(TensorTest, HasNoElementsWithZeroExtent) {
  const std::int64_t huge = std::int64_t{1} << 62;
  const Tensor tensor = Tensor::empty({huge, huge, 0}, dtype::kFloat32).value();
  EXPECT_EQ(tensor.element_count(), 0);
  EXPECT_EQ(tensor.byte_count(), 0);
  EXPECT_TRUE(tensor.is_contiguous());
}

}  // namespace
}  // namespace kmux
