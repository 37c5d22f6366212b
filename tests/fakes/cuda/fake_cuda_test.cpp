#include "fake_cuda.h"

#include <cstring>
#include <elf.h>

#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using FakeCudaTest = OpenedFake;

TEST_F(FakeCudaTest, ExportsEveryDriverCall) {
  void* fake_library = dlopen("libcuda.so.1", RTLD_NOW);
#define KMUX_CALL(name, symbol, params) EXPECT_NE(dlsym(fake_library, #symbol), nullptr) << #symbol;
  KMUX_DRIVER_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
}

TEST_F(FakeCudaTest, RecordsCallsInOrder) {
  CUstream stream = nullptr;
  EXPECT_EQ(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(cu.stream_destroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.stream_destroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_THAT(fake.calls(), ElementsAre("cuStreamCreate flags 1 -> 0x3000010", "cuStreamDestroy_v2 0x3000010",
                                        "cuStreamDestroy_v2 0x3000010 = 400 CUDA_ERROR_INVALID_HANDLE"));
  EXPECT_THAT(fake.symbols(), ElementsAre("cuStreamCreate", "cuStreamDestroy_v2", "cuStreamDestroy_v2"));
  EXPECT_EQ(fake.calls("cuStreamCreate").size(), 1U);
}

TEST_F(FakeCudaTest, RecordsNothingWithRecordingOff) {
  fake.set_recording(false);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
  CUcontext current = nullptr;
  EXPECT_EQ(cu.current_get(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context);
  EXPECT_EQ(cu.current_set(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_THAT(fake.calls(), IsEmpty());
}

TEST_F(FakeCudaTest, RunsLaunchWorkWithRecordingOff) {
  static int times = 0;
  fake.set_launch_work([] { ++times; });
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
  EXPECT_EQ(times, 0);
  fake.set_recording(false);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
  EXPECT_EQ(times, 1);
  fake.reset();
  fake.set_recording(false);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(times, 1);
}

TEST_F(FakeCudaTest, DescribesItsDevices) {
  Device small;
  small.name = "Small";
  small.multiprocessors = 4;
  fake.set_devices({Device{}, small});
  int count = 0;
  EXPECT_EQ(cu.device_count(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2);
  char name[16];
  EXPECT_EQ(cu.device_name(name, sizeof name, 1), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Small");
  int value = 0;
  EXPECT_EQ(cu.device_attribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1), CUDA_SUCCESS);
  EXPECT_EQ(value, 4);
  EXPECT_EQ(cu.device_attribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 2), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(FakeCudaTest, ReportsNoDevice) {
  fake.set_devices({});
  EXPECT_EQ(cu.init(0), CUDA_ERROR_NO_DEVICE);
}

TEST_F(FakeCudaTest, CountsContextReferences) {
  EXPECT_EQ(fake.live().contexts, 1U);
  CUcontext again = nullptr;
  EXPECT_EQ(cu.primary_retain(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(again, context);
  EXPECT_EQ(cu.primary_release(0), CUDA_SUCCESS);
  EXPECT_EQ(cu.stream_synchronize(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.primary_release(0), CUDA_SUCCESS);
  EXPECT_EQ(cu.stream_synchronize(nullptr), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cu.primary_release(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(fake.live().contexts, 0U);
}

TEST_F(FakeCudaTest, ReleasesStreamsAndEventsWithContext) {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  EXPECT_EQ(cu.stream_create(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.event_create(&event, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.primary_release(0), CUDA_SUCCESS);
  EXPECT_EQ(fake.live(), (Live{.libraries = 1}));
  EXPECT_EQ(cu.stream_destroy(stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(FakeCudaTest, KeepsCurrentContextPerThread) {
  CUcontext other = context;
  std::thread([&] { EXPECT_EQ(cu.current_get(&other), CUDA_SUCCESS); }).join();
  EXPECT_EQ(other, nullptr);
  fake.reset();
  EXPECT_EQ(cu.current_get(&other), CUDA_SUCCESS);
  EXPECT_EQ(other, nullptr);
}

TEST_F(FakeCudaTest, FindsKernelsByName) {
  fake.hide_kernel("gone");
  CUkernel found = nullptr;
  EXPECT_EQ(cu.library_kernel(&found, library, "gone"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cu.library_kernel(&found, library, "add"), CUDA_SUCCESS);
  EXPECT_EQ(found, kernel);
  CUlibrary second_library = nullptr;
  EXPECT_EQ(cu.library_load(&second_library, "other", nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&found, second_library, "add"), CUDA_SUCCESS);
  EXPECT_NE(found, kernel);
  EXPECT_EQ(cu.library_unload(library), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(FakeCudaTest, FindsOnlyKernelsOfItsCode) {
  CUkernel found = nullptr;
  EXPECT_EQ(cu.library_kernel(&found, library, "sub"), CUDA_ERROR_NOT_FOUND) << "of bytes what the test has told";
  const char* const ptx =
      ".version 8.0\n.target sm_90\n.entry _Z3addPf(.param .u64 x)\n{ ret; }\n.visible .entry sub { ret; }\n";
  EXPECT_EQ(cu.library_load(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&found, library, "_Z3addPf"), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&found, library, "sub"), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&found, library, "add"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(FakeCudaTest, RejectsInvalidOrForeignCodeAtKernelLookup) {
  CUkernel found = nullptr;
  EXPECT_EQ(cu.library_load(&library, "\x01\x02\x03", nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&found, library, "add"), CUDA_ERROR_INVALID_IMAGE);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_ABIVERSION] = 8;
  header.e_machine = 190, header.e_flags = 80 << 8;
  EXPECT_EQ(cu.library_load(&library, &header, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&found, library, "add"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  header.e_flags = 90 << 8;
  EXPECT_EQ(cu.library_load(&library, &header, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&found, library, "add"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(FakeCudaTest, MeasuresElapsedTimeBetweenEvents) {
  CUevent begin = nullptr;
  CUevent end = nullptr;
  float milliseconds = -1;
  EXPECT_EQ(cu.event_create(&begin, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.event_create(&end, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.event_record(begin, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.event_elapsed(&milliseconds, begin, end), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu.event_record(end, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.event_elapsed(&milliseconds, begin, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0);
}

}  // namespace
}  // namespace kmux::fake_cuda
