#include <chrono>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/sink.h"

#include "wrapper.h"

namespace kmux::cpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Meta meta_with(std::vector<std::string> features) {
  Meta meta;
  meta.engine = "clang";
  meta.features = std::move(features);
  return meta;
}

TEST(StandaloneTest, PartsAreObjectsAndLauncher) {
  Artifact built;
  built.set(kCodePart, "code of the kernels");
  built.set("object.0", "ready code");
  built.set(kMetaPart, "{}");
  const Artifact parts = standalone_parts(built, meta_with({}), false);
  EXPECT_EQ(*parts.find("code.o"), "code of the kernels");
  EXPECT_EQ(*parts.find("object.0.o"), "ready code");
  EXPECT_EQ(*parts.find("link.json"), R"({"device_type":1,"libraries":[]})");
  EXPECT_EQ(parts.parts.size(), 4U) << "launcher.cpp is the last";
}

TEST(StandaloneTest, LauncherChecksCpuFeatures) {
  const std::string text = *standalone_parts({}, meta_with({"avx2", "fma", "prfchw"}), false).find("launcher.cpp");
  EXPECT_THAT(text, AllOf(HasSubstr("__builtin_cpu_supports(\"avx2\")"), HasSubstr("__builtin_cpu_supports(\"fma\")"),
                          Not(HasSubstr("prfchw"))));
  EXPECT_THAT(text, Not(HasSubstr("#define KMUX_KERNELS_MAY_THROW")));
  EXPECT_THAT(*standalone_parts({}, meta_with({}), true).find("launcher.cpp"),
              HasSubstr("#define KMUX_KERNELS_MAY_THROW"));
}

TEST(StandaloneTest, LauncherChecksAArch64Features) {
  Meta meta = meta_with({"neon", "sve2"});
  meta.triple = "aarch64-unknown-linux-gnu";
  const std::string text = *standalone_parts({}, meta, false).find("launcher.cpp");
  EXPECT_THAT(text, AllOf(HasSubstr("#ifdef __aarch64__\n  if (!(getauxval(AT_HWCAP) >> 1 & 1)) return \"neon\";"),
                          HasSubstr("if (!(getauxval(AT_HWCAP2) >> 1 & 1)) return \"sve2\";")));
  EXPECT_THAT(text, Not(HasSubstr("__builtin_cpu_supports")));
}

constexpr const char* kCounts =
    "extern \"C\" int kmux_cpu_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink) {\n"
    "  void* memory = nullptr;\n"
    "  const kmux_allocator& from = *env->allocator;\n"
    "  if (from.allocate(from.self, 0, nullptr, 100, 256, &memory) != 0 || (size_t)memory % 256 != 0) return 6;\n"
    "  from.free(from.self, 0, nullptr, memory);\n"
    "  ++*static_cast<int*>(slots[0].ptr);\n  return 0;\n}\n";

// A kernel on a grid of 3000 blocks with 200 KiB of shared memory, each of which counts; one throws where that number
// is 2.
constexpr const char* kCountsOnAGrid =
    "static void blocks(const void* arguments, const kmux_cpu_grid*, uint64_t first, uint64_t end, char* memory) {\n"
    "  for (uint64_t block = first; block < end; ++block) {\n"
    "    for (int i = 0; i < 200 << 10; i += 64) memory[i] = 1;\n"
    "    int* const count = *static_cast<int* const*>(arguments);\n"
    "    if (block == 2000 && *count < 0) throw 5;\n"
    "    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);\n"
    "  }\n}\n"
    "static kmux_cpu_kernel kernel = {blocks, 200 << 10, 0, 5, 0, 0, 0, 0, 0};\n"
    "extern \"C\" int kmux_cpu_launch(const kmux_slot* slots, const kmux_launch_env*, kmux_sink error) {\n"
    "  const kmux_cpu_grid grid = {{100, 6, 5}, {64, 1, 1}, 0, error, 0, {1, 1, 1}};\n"
    "  return kmux_cpu_run(&grid, &kernel, &slots[0].ptr);\n}\n";

/// The unit with a counting kernel, on a processor that lacks `lacking`.
struct BuiltUnit {
  explicit BuiltUnit(const std::string& lacking, bool on_grid = false) {
    Meta meta = meta_with({});
    meta.on_grid = on_grid;
    std::string text = *standalone_parts({}, meta, on_grid).find("launcher.cpp");
    const std::string none = "return nullptr;\n}";
    if (!lacking.empty()) text.replace(text.rfind(none), none.size(), "return \"" + lacking + "\";\n}");
    text += on_grid ? kCountsOnAGrid : kCounts;
    folder.write("unit.cpp", text).value();
    const Command command = Command{{kmux::find_host_compiler("", "the test").value(), "-std=c++17", "-Wall", "-Wextra",
                                     "-Werror", "-shared", "-fPIC", "-o", "unit.so", "unit.cpp"},
                                    folder.path()};
    const ProcessResult result = run(command).value();
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    library = DynamicLibrary::open({folder.path() + "/unit.so"}).value();
  }

  int launch(int& count) {
    const kmux_launch_env env{sizeof env, 0, nullptr, nullptr, 0, 0};
    kmux_slot slot{};
    slot.ptr = &count;
    said.clear();
    const auto call =
        library->function<int(const kmux_slot*, const kmux_launch_env*, kmux_sink)>("kmux_standalone_launch");
    return (*call)(&slot, &env, sink());
  }
  int prepare(int device) {
    said.clear();
    return (*library->function<int(int, kmux_sink)>("kmux_standalone_prepare"))(device, sink());
  }
  kmux_sink sink() { return append_to(said); }

  PrivateFolder folder = PrivateFolder::create("kmux-standalone").value();
  std::optional<DynamicLibrary> library;
  std::string said;
};

TEST(StandaloneTest, ProvidesWorkspaceMemory) {
  BuiltUnit unit("");
  int count = 0;
  EXPECT_EQ(unit.launch(count), KMUX_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(unit.prepare(0), KMUX_OK);
  EXPECT_EQ(unit.prepare(1), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(unit.said, HasSubstr("there is one device, 0"));
}

TEST(StandaloneTest, ProvidesThreadPoolForGrids) {
  BuiltUnit unit("", true);
  int count = 0;
  EXPECT_EQ(unit.launch(count), KMUX_OK);
  EXPECT_EQ(count, 3000);
  EXPECT_EQ(unit.prepare(0), KMUX_OK);
  const auto close = unit.library->function<void()>("kmux_standalone_close");
  for (int round = 0; round < 20; ++round) {
    count = 0;
    EXPECT_EQ(unit.launch(count), KMUX_OK);
    EXPECT_EQ(count, 3000);
    if (round % 5 == 0) (*close)();
  }
  count = -100000;
  EXPECT_EQ(unit.launch(count), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(unit.said, HasSubstr("the kernel threw \"something that is not a std::exception"));
}

TEST(StandaloneTest, ClosedLibraryLeavesNoThreads) {
  for (int round = 0; round < 5; ++round) {
    std::thread other;
    {
      BuiltUnit unit("", true);
      EXPECT_EQ(unit.prepare(0), KMUX_OK);
      other = std::thread([&unit] {
        int count = 0;
        EXPECT_EQ(unit.launch(count), KMUX_OK);
      });
      other.join();
      int count = 0;
      EXPECT_EQ(unit.launch(count), KMUX_OK);  // its memory is freed with the library, not with this thread
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than a worker stays awake
}

TEST(StandaloneTest, RejectsUnsupportedProcessor) {
  BuiltUnit unit("wings");
  int count = 0;
  EXPECT_EQ(unit.launch(count), KMUX_UNAVAILABLE);
  EXPECT_EQ(count, 0);
  EXPECT_THAT(unit.said, HasSubstr("the library is for another processor (this one lacks wings)"));
  EXPECT_EQ(unit.prepare(0), KMUX_UNAVAILABLE);
}

}  // namespace
}  // namespace kmux::cpu
