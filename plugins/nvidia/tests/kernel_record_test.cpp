#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cubin_example.h"
#include "nvidia/launch_check.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

std::string words(std::initializer_list<std::uint32_t> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(std::uint32_t)};
}

// Returns the sizes of the parameters, if a cubin has them.
std::optional<std::vector<unsigned>> sizes_of(const KernelForm& form) {
  if (!form.arguments) return std::nullopt;
  std::vector<unsigned> sizes;
  for (const KernelArgument& argument : *form.arguments) sizes.push_back(argument.bytes);
  return sizes;
}

KernelForm record_of(std::vector<std::uint16_t> parameters, std::string records = {}) {
  CubinExample::Symbol symbol{"k"};
  symbol.parameters = std::move(parameters);
  symbol.records = std::move(records);
  return kernel_record(CubinExample{{symbol}}.bytes(), "k").value();
}

// In nvcc's format: the bytes of all in place, __launch_bounds__(256), parameter 0 of a kernel with many bytes.
const std::string kTwelveBytes = words({0x000c1903});
const std::string kBounds = words({0x000c0504, 256, 1, 1});
const std::string kLarge = words({0x000c4504, 0, 0x00000000, 20000});

TEST(KernelRecordTest, ReadsParameterSizesInOrder) {
  EXPECT_THAT(sizes_of(record_of({8, 4}, kTwelveBytes)), Optional(ElementsAre(8, 4)));
  EXPECT_THAT(sizes_of(record_of({8, 4})), Optional(ElementsAre(8, 4)));
  EXPECT_THAT(sizes_of(record_of({}, kLarge)), Optional(ElementsAre(20000)));
}

TEST(KernelRecordTest, ReadsLaunchBounds) {
  EXPECT_EQ(record_of({}, kBounds).max_threads, 256u);
  EXPECT_EQ(record_of({}, words({0x000c1004, 32, 2, 1})).max_threads, 64u) << "of the one that it has to have";
  EXPECT_EQ(record_of({8}).max_threads, 0u);
  EXPECT_EQ(record_of({}, words({0x000c0504, 0xffffffff, 0xffffffff, 0xffffffff})).max_threads, 0u);
}

TEST(KernelRecordTest, KernelWithoutParametersHasEmptyList) {
  EXPECT_THAT(sizes_of(record_of({}, kBounds)), Optional(IsEmpty()));
}

TEST(KernelRecordTest, InconsistentRecordsYieldNoArguments) {
  EXPECT_FALSE(record_of({8, 8}, kTwelveBytes).arguments);
  EXPECT_FALSE(record_of({}, kTwelveBytes).arguments) << "a form of records that is not known";
  EXPECT_FALSE(record_of({8}, words({0x000c1704, 0, 0, 0})).arguments) << "two records of one parameter";
  EXPECT_FALSE(record_of({}, words({0x000c1704, 0, 0x00080001, 0})).arguments) << "no parameter 0";
  EXPECT_FALSE(record_of({}, words({0x000c1704, 0})).arguments) << "cut off";
  EXPECT_FALSE(kernel_record(CubinExample{{{"k"}}}.bytes(), "k").value().arguments) << "no records";
  EXPECT_FALSE(kernel_record(CubinExample{{{"k"}}}.bytes(), "other").value().arguments);
}

// Cubins are untrusted input.
TEST(KernelRecordTest, DamagedFileIsNotReadOutOfBounds) {
  CubinExample::Symbol symbol{"k"};
  symbol.parameters = {8, 4};
  symbol.records = kTwelveBytes + kBounds;
  const std::string whole = CubinExample{{symbol}}.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(kernel_record(whole.substr(0, size), "k").ok());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\x00', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = byte;
      (void)kernel_record(std::string(damaged), "k");
    }
  }
}

// The symbol of a kernel with C++ linkage has the types that the records lack.
TEST(KernelRecordTest, DerivesTypesFromMangledSymbol) {
  const auto record = [](const std::string& name, std::vector<std::uint16_t> parameters) {
    CubinExample::Symbol symbol{name};
    symbol.parameters = std::move(parameters);
    return *kernel_record(CubinExample{{symbol}}.bytes(), name).value().arguments;
  };
  EXPECT_THAT(
      record("_Z5scaleIfEvPT_S0_l", {8, 4, 8}),
      ElementsAre(KernelArgument{8, ArgumentKind::kPointer, "float*", dtype::kFloat32},
                  KernelArgument{4, ArgumentKind::kFloat, "float"}, KernelArgument{8, ArgumentKind::kInteger, "long"}));
  EXPECT_THAT(record("_Z1kPfi", {8, 8}), ElementsAre(KernelArgument{8}, KernelArgument{8}));
  EXPECT_THAT(record("scale", {8}), ElementsAre(KernelArgument{8}));
}

TEST(KernelRecordTest, RejectsInvalidBytes) {
  EXPECT_EQ(kernel_record("text", "k").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::nvidia
