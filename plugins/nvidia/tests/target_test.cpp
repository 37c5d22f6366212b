#include "nvidia/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<Arch> an_sm_89() { return Arch{89, '\0'}; }
Result<Arch> no_device() { return make_error(ErrorCode::kUnavailable, "no device. Use another machine."); }

Result<Arch> never_asked() {
  ADD_FAILURE() << "a request with an architecture asked for the device";
  return Arch{};
}

std::string canonical(std::string_view request, const DeviceArch& device = never_asked) {
  auto target = resolve_cuda_target(request, "nvrtc", device);
  return target ? to_string(*target) : target.error().message;
}

TEST(TargetTest, DefaultsToDeviceArchitecture) {
  for (const char* request : {"", "auto", "cuda", "cuda:native", R"({"kind":"cuda"})"}) {
    EXPECT_EQ(canonical(request, an_sm_89), "cuda:sm_89") << request;
  }
}

TEST(TargetTest, RequiresArchitectureWithoutDevice) {  // C2.5, C3.7
  for (const char* request : {"", "auto", "cuda", "cuda:native"}) {
    const Error error = resolve_cuda_target(request, "nvrtc", no_device).error();
    EXPECT_EQ(error.code, ErrorCode::kUnavailable);
    EXPECT_THAT(error.message, AllOf(HasSubstr("names no architecture"), HasSubstr("(no device. Use another machine)"),
                                     HasSubstr("Name one: --target cuda:sm_90a")));
  }
}

TEST(TargetTest, ParsesEveryNotation) {
  for (const char* request : {"cuda:sm_90a", "cuda:sm_90", "sm_90a", "sm_90", "cuda -arch=sm_90", "CUDA:sm_90",
                              R"({"kind":"cuda","arch":"sm_90a"})"}) {
    EXPECT_EQ(canonical(request), "cuda:sm_90a") << request;
  }
}

TEST(TargetTest, AppendsSuffixOnlyFromSm90AndKeepsExplicitOne) {
  EXPECT_EQ(canonical("cuda:sm_80"), "cuda:sm_80");
  EXPECT_EQ(canonical("sm_100f"), "cuda:sm_100f");
  EXPECT_EQ(canonical("sm_120"), "cuda:sm_120a");
}

TEST(TargetTest, AcceptsTvmDeviceAttributes) {
  EXPECT_EQ(canonical(R"({"kind":"cuda","arch":"sm_90","keys":["cuda","gpu"],"tag":"","max_num_threads":1024,)"
                      R"("max_threads_per_block":1024,"thread_warp_size":32})"),
            "cuda:sm_90a");
}

TEST(TargetTest, RejectsUnknownAttributesByName) {
  const auto target = resolve_cuda_target("cuda -arch=sm_90 -keys=cutedsl", "nvrtc", never_asked);
  EXPECT_EQ(target.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(target.error().message,
              AllOf(HasSubstr("target attribute \"keys=cutedsl\" is unknown"), HasSubstr("backend nvrtc")));
  EXPECT_THAT(canonical("cuda -thread_warp_size=64"), HasSubstr("\"thread_warp_size=64\" is unknown"));
}

TEST(TargetTest, RejectsOtherKindsAndArchitectures) {
  EXPECT_THAT(canonical("hip:gfx942"), HasSubstr("target \"hip:gfx942\" is not one of backend nvrtc"));
  EXPECT_THAT(canonical("cuda:gfx942"), HasSubstr("architecture \"gfx942\" is not one of NVIDIA's devices"));
  EXPECT_EQ(resolve_cuda_target("cuda:compute_90", "cutedsl", never_asked).error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(canonical("cuda:sm_100a,code=compute_90"), HasSubstr("\"code=compute_90\" is unknown"));
}

Result<Arch> an_sm_100() { return Arch{100, 'a'}; }

std::string for_release(std::string_view request, std::optional<Release> release,
                        const DeviceArch& device = never_asked) {
  auto target = resolve_cuda_target(request, "nvrtc", device, [&] { return release; });
  return target ? to_string(*target) : target.error().message;
}

TEST(TargetTest, KeepsExactArchitectureForPtxBackend) {
  for (const char* arch : {"sm_80", "sm_90", "sm_90a", "compute_90", "compute_90a", "sm_100f", "sm_100"}) {
    const std::string whole = std::string("cuda:") + arch;
    EXPECT_EQ(for_release(arch, Release{13, 0}), whole);
    EXPECT_EQ(for_release(whole, Release{13, 0}), whole);
  }
  EXPECT_EQ(for_release("cuda -arch=sm_90", Release{13, 0}), "cuda:sm_90a");
  EXPECT_EQ(for_release(R"({"kind":"cuda","arch":"sm_90"})", Release{13, 0}), "cuda:sm_90a");
}

TEST(TargetTest, AddsPtxFallbackForOlderCompiler) {
  EXPECT_EQ(for_release("auto", Release{12, 4}, an_sm_100), "cuda:sm_100a,code=compute_90");
  EXPECT_EQ(for_release("auto", Release{12, 8}, an_sm_100), "cuda:sm_100a");
  EXPECT_EQ(for_release("auto", std::nullopt, an_sm_100), "cuda:sm_100a");
  EXPECT_EQ(for_release("cuda:sm_103a", Release{12, 8}), "cuda:sm_103a,code=compute_100");
}

TEST(TargetTest, ResolvesIdempotently) {
  for (const Release release : {Release{12, 4}, Release{13, 0}}) {
    EXPECT_EQ(for_release("cuda:sm_100a,code=compute_90", release), "cuda:sm_100a,code=compute_90");
  }
  EXPECT_THAT(for_release("cuda:sm_100a,code=sm_90", Release{12, 4}), HasSubstr("\"code=sm_90\" is unknown"));
}

TEST(TargetTest, SeparatesDeviceAndCodeArchitecture) {
  const Target target{"cuda", "sm_100a", {{"code", "compute_90"}}};
  EXPECT_EQ(to_string(arch_of(target).value()), "sm_100a");
  EXPECT_EQ(to_string(code_arch_of(target).value()), "compute_90");
  EXPECT_EQ(to_string(code_arch_of({"cuda", "sm_90a", {}}).value()), "sm_90a");
}

TEST(TargetTest, ReportsMultiprocessorLimits) {
  const auto number = [](Arch arch, const char* key) { return *multiprocessor_of(arch)->find(key)->as_integer(); };
  EXPECT_EQ(number({90, 'a'}, "shared_bytes"), 228 * 1024);
  EXPECT_EQ(number({90, 'a'}, "reserved_shared_bytes"), 1024);
  EXPECT_EQ(number({75, '\0'}, "threads"), 1024);
  EXPECT_EQ(number({75, '\0'}, "shared_unit_bytes"), 256);
  EXPECT_EQ(number({89, '\0'}, "blocks"), 24);
  EXPECT_EQ(multiprocessor_of({61, '\0'}), std::nullopt);
}

}  // namespace
}  // namespace kmux::nvidia
