#include "kmux/kernel_attributes.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::HasSubstr;

Artifact artifact_with(std::string part) {
  Artifact artifact;
  artifact.set("kernels.json", std::move(part));
  return artifact;
}

constexpr const char* kTwo =
    R"([{"kernel":"a","registers":34,"local_bytes":240,"shared_bytes":400,"constant_bytes":256,"max_threads":512},)"
    R"({"kernel":"b<int>","registers":8,"local_bytes":0,"shared_bytes":0,"constant_bytes":256,"max_threads":1024}])";

TEST(KernelAttributesTest, AreReadFromArtifact) {
  const auto kernels = attributes_of(artifact_with(kTwo), "toy").value();
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].to_string(),
            "a: 34 registers and 240 bytes of local memory a thread, 400 bytes of shared memory a block, 256 bytes of "
            "constants, at most 512 threads a block");
  EXPECT_EQ(kernels[1].kernel, "b<int>");
  EXPECT_EQ(kernels[1].max_threads, 1024);
}

KernelAttributes on_sm_90(int registers, std::int64_t shared_bytes) {
  const std::string part = R"([{"kernel":"a","registers":)" + std::to_string(registers) +
                           R"(,"local_bytes":0,"shared_bytes":)" + std::to_string(shared_bytes) +
                           R"(,"constant_bytes":0,"max_threads":1024,"multiprocessor":{"threads":2048,"blocks":32,)"
                           R"("warp_threads":32,"partitions":4,"registers":65536,"register_unit":256,)"
                           R"("shared_bytes":233472,"shared_unit_bytes":128,"reserved_shared_bytes":1024}}])";
  return attributes_of(artifact_with(part), "toy").value().front();
}

// The results of CUDA's calculator, cuda_occupancy.h, for an sm_90.
TEST(KernelAttributesTest, ReportOccupancy) {
  const struct {
    int registers;
    std::int64_t shared_bytes, threads, dynamic_bytes;
    int blocks;
    double part;
    const char* limit;
  } cases[] = {{16, 0, 256, 0, 8, 1, "threads"},
               {16, 0, 32, 0, 32, 0.5, "blocks"},
               {34, 400, 256, 0, 6, 0.75, "registers"},
               {255, 0, 1024, 0, 0, 0, "registers"},
               {32, 0, 128, 49152, 4, 0.25, "shared memory"},
               {32, 0, 96, 0, 21, 0.984375, "threads"},
               {32, 0, 32, 233472, 0, 0, "shared memory"},
               {32, 400, 32, INT64_MAX - 1000, 0, 0, "shared memory"}};
  for (const auto& one : cases) {
    const Occupancy occupancy =
        on_sm_90(one.registers, one.shared_bytes).occupancy(one.threads, one.dynamic_bytes).value();
    EXPECT_EQ(occupancy.blocks, one.blocks) << one.registers << " " << one.threads;
    EXPECT_EQ(occupancy.part, one.part) << one.registers << " " << one.threads;
    EXPECT_EQ(occupancy.limit, one.limit) << one.registers << " " << one.threads;
  }
  EXPECT_EQ(on_sm_90(34, 400).occupancy(256)->to_string(),
            "6 blocks at once, 75 % of the threads (limited by registers)");
}

TEST(KernelAttributesTest, RejectOccupancyOfInvalidBlockOrUnknownDevice) {
  for (const auto& [threads, bytes] : {std::pair(0, 0), std::pair(1025, 0), std::pair(32, -1)}) {
    const auto refused = on_sm_90(16, 0).occupancy(threads, bytes);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("has no blocks of " + std::to_string(threads) + " threads"));
  }
  const Error unknown = attributes_of(artifact_with(kTwo), "toy").value().front().occupancy(32).error();
  EXPECT_EQ(unknown.code, ErrorCode::kUnsupported);
  EXPECT_THAT(unknown.message, HasSubstr("the occupancy of kernel \"a\" is not known"));
}

TEST(KernelAttributesTest, MissingAttributesAreUnsupported) {
  const Error error = attributes_of({}, "toy").error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("backend \"toy\" does not say what its kernels take"));
}

TEST(KernelAttributesTest, DamagedAttributesAreRejected) {
  for (const char* part : {"", "{}", "[1]", R"([{"kernel":"a"}])", R"([{"kernel":"a","registers":"many"}])",
                           R"([{"kernel":"a","registers":1,"local_bytes":0,"shared_bytes":0,"constant_bytes":0,)"
                           R"("max_threads":1,"multiprocessor":{"threads":0}}])"}) {
    const auto kernels = attributes_of(artifact_with(part), "toy");
    ASSERT_FALSE(kernels.ok()) << part;
    EXPECT_EQ(kernels.error().code, ErrorCode::kInvalidArgument) << part;
    EXPECT_THAT(kernels.error().message, HasSubstr("is damaged")) << part;
  }
}

}  // namespace
}  // namespace kmux
