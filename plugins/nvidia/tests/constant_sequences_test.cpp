// The variables of a program's code that are set by name: the driver calls, and the destination of the bytes.
#include "nvidia/launch/driver_table.h"
#include "over_fake.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

KMUX_OVER_FAKE(ConstantSequencesTest);

constexpr const char* kWeigh = R"(
__constant__ float weights[4];
namespace filters {
__device__ float bias;
}
extern "C" __global__ void weigh(float* x) { x[threadIdx.x] = weights[threadIdx.x & 3] + filters::bias; }
)";

ProgramBuilder weighing_program() {
  ProgramBuilder builder = program_of("weigh", kWeigh);
  builder.constant({"weights", dtype::kFloat32, {4}}).constant({"filters::bias", dtype::kFloat32});
  builder.launch("weigh").grid({1}).block({32}).args({"x"});
  return builder;
}

Tensor floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return Tensor::from<float>(std::move(shape), dtype::kFloat32, values).value();
}

// Returns the content of a variable of the code on the current device.
std::vector<float> content_of(CUlibrary library, const char* symbol) {
  WrittenText text;
  CUdeviceptr address{};
  std::size_t bytes = 0;
  EXPECT_EQ(open_driver(text.sink())->library_global(&address, &bytes, library, symbol), CUDA_SUCCESS) << symbol;
  std::vector<float> values(bytes / sizeof(float));
  if (bytes > 0) std::memcpy(values.data(), reinterpret_cast<const void*>(address), bytes);
  return values;
}

TEST_P(ConstantSequencesTest, BytesAreCopiedToNamedVariablesBeforeFirstLaunch) {
  const Kernel kernel = warmed(weighing_program());
  const Tensor x = zeros(kernel, {32});
  CUlibrary library = nullptr;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { library = run.library; });
  ASSERT_TRUE(kernel.set_constant("filters::bias", floats({}, {0.5F})).ok());
  const Status early = kernel.launch({x});
  EXPECT_EQ(early.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(early.error().message, HasSubstr("constants have no value on device 0 (\"weights\")"));
  ASSERT_TRUE(kernel.set_constant("weights", floats({4}, {1, 10, 100, 1000})).ok());
  kernel.launch({x}).value();
  const std::string copy = "cuMemcpyHtoDAsync_v2 to ";
  EXPECT_THAT(work(), ElementsAre(AllOf(StartsWith("cuLibraryGetGlobal "), HasSubstr(" _ZN7filters4biasE -> bytes 4")),
                                  AllOf(StartsWith(copy), HasSubstr(" bytes 4 stream 0x0")), "cuStreamSynchronize 0x0",
                                  AllOf(StartsWith("cuLibraryGetGlobal "), HasSubstr(" weights -> bytes 16")),
                                  AllOf(StartsWith(copy), HasSubstr(" bytes 16 stream 0x0")), "cuStreamSynchronize 0x0",
                                  line({.kernel = "weigh", .args = {written(x)}})));
  fake.finish();
  ASSERT_NE(library, nullptr);
  EXPECT_THAT(content_of(library, "weights"), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(content_of(library, "_ZN7filters4biasE"), ElementsAre(0.5F));
}

TEST_P(ConstantSequencesTest, UnknownNameIsRejectedWithoutDriverCalls) {
  const Kernel kernel = warmed(weighing_program());
  for (const char* name : {"weigths", "bias", "_ZN7filters4biasE", ""}) {
    const Status refused = kernel.set_constant(name, floats({4}, {1, 2, 3, 4}));
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("no constant \"" + std::string(name) + "\"."));
  }
  EXPECT_THAT(work(), IsEmpty());
}

}  // namespace
}  // namespace kmux::nvidia
