// Code compiled by another checkout: found if its headers are equal, in any folder, and only then.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/tensor.h"

#include "file_tick.h"
#include "needs.h"
#include "shared_cache.h"
#include "sizes.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr const char* kReadsValue =
    "#include <value.h>\nextern \"C\" __global__ void k(int* y) { if (threadIdx.x < 2) y[threadIdx.x] = value(); }\n";

Program reading_program(const std::string& source, const std::string& dialect = "cuda") {
  ProgramBuilder builder("shared_headers");
  builder.output("y", dtype::kInt32, {2});
  builder.variant(dialect);
  builder.source(dialect == "c" ? "k.c" : "k.cu", source);
  LaunchBuilder launch = builder.launch("k");
  if (dialect != "c") launch.grid({Expr(1)}).block({Expr(32)});
  launch.args({"y"});
  return builder.build().value();
}

/// Two checkouts "a" and "b" of the same headers, and a cache that both use.
class SharedHeadersTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  void write_both(const std::string& name, const std::string& text) const {
    for (const char* checkout : {"a/", "b/"}) write(checkout + name, text);
  }
  std::string place(const std::string& name) const { return (folder_.path() / name).string(); }

  /// Builds as a process in `checkout` does, with `folders` of it as include folders.
  Result<BuildResult> tried(const std::string& checkout, std::vector<std::string> folders = {"inc"}) {
    for (std::string& folder : folders) folder = place(checkout + "/" + folder);
    next_file_tick();
    CompileOptions options{
        .target = target_, .execution_backend = backend_, .options = options_, .compile_flags = flags_};
    options.include_dirs = std::move(folders);
    return build(*runtime_with_cache(folder_.path() / "cache"), program_, options);
  }
  BuildResult built(const std::string& checkout, const std::vector<std::string>& folders = {"inc"}) {
    return tried(checkout, folders).value();
  }
  bool is_found(const std::string& checkout, const std::vector<std::string>& folders = {"inc"}) {
    return built(checkout, folders).from_cache;
  }
  static Dependencies dependencies_of(const BuildResult& result) {
    return dependencies_from_json(*result.artifact.find(kDependenciesPart)).value();
  }

  TempFolder folder_;
  Program program_ = reading_program(kReadsValue);
  std::string target_ = "cpu", backend_ = {};
  Options options_ = {{"tier", "fast"}};
  std::vector<std::string> flags_ = {};
};

TEST_F(SharedHeadersTest, AreReusedByContentAcrossCheckouts) {
  write_both("inc/value.h", "#include \"more.h\"\n__device__ int value() { return MORE; }\n");
  write_both("inc/more.h", "#define MORE 3\n");
  EXPECT_FALSE(is_found("a"));
  const BuildResult found = built("b");
  EXPECT_TRUE(found.from_cache);
  EXPECT_THAT(dependencies_of(found).files, ElementsAre(place("b/inc/more.h"), place("b/inc/value.h")));
  EXPECT_TRUE(is_found("a"));
}

TEST_F(SharedHeadersTest, AreRecompiledIfContentsDiffer) {
  write_both("inc/value.h", "#include \"more.h\"\n__device__ int value() { return MORE; }\n");
  write_both("inc/more.h", "#define MORE 3\n");
  EXPECT_FALSE(is_found("a"));
  write("b/inc/more.h", "#define MORE 4\n");
  EXPECT_FALSE(is_found("b"));
  EXPECT_TRUE(is_found("b"));
  EXPECT_TRUE(is_found("a"));
  write("b/inc/more.h", "#define MORE 3\n");
  EXPECT_TRUE(is_found("b"));
}

TEST_F(SharedHeadersTest, RespectIncludeFolderOrder) {
  write("a/first/value.h", "__device__ int value() { return 1; }\n");
  write_both("second/value.h", "__device__ int value() { return 1; }\n");
  write_both("first/other.h", "");
  EXPECT_FALSE(is_found("b", {"first", "second"}));
  EXPECT_FALSE(is_found("a", {"first", "second"})) << "an earlier folder has it";
  EXPECT_TRUE(is_found("a", {"first", "second"}));
  EXPECT_TRUE(is_found("b", {"first", "second"}));
  EXPECT_TRUE(is_found("b", {"second", "first"})) << "the first one has it, as in a";
  write("b/first/value.h", "__device__ int value() { return 1; }\n");
  const BuildResult found = built("b", {"first", "second"});
  EXPECT_TRUE(found.from_cache);
  EXPECT_THAT(dependencies_of(found).files, ElementsAre(place("b/first/value.h")));
}

TEST_F(SharedHeadersTest, AreNotSharedIfHeaderUsesItsPath) {
  for (const std::string text :
       {"__device__ int value() { return sizeof(__FILE__); }\n",
        "__device__ int value() { return sizeof(__FI\\\nLE__); }\n",
        "__device__ int value() { return __builtin_FILE()[1]; }\n",
        "__device__ int value() { assert(threadIdx.x < 4); return 1; }\n",
        "__device__ int value() { auto f = [] { return sizeof(__PRETTY_FUNCTION__); }; return f(); }\n",
        "#include <cooperative_groups.h>\n__device__ int value() { cooperative_groups::this_grid().sync(); return 1; "
        "}\n"}) {
    write_both("inc/value.h", text);
    EXPECT_FALSE(is_found("a")) << text;
    EXPECT_FALSE(is_found("b")) << text;
    EXPECT_TRUE(is_found("a")) << text;
    EXPECT_TRUE(is_found("b")) << text;
  }
}

TEST_F(SharedHeadersTest, AreNotSharedIfSourceOrFlagUsesPath) {
  write_both("inc/value.h", "__device__ int value() { return PLACE[1]; }\n");
  program_ = reading_program(std::string("#define PLACE __FILE__\n") + kReadsValue);
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
  write_both("inc/value.h", "__device__ int value() { return WHERE[1]; }\n");
  program_ = reading_program(kReadsValue);
  flags_ = {"-DWHERE=__FILE__"};
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
}

TEST_F(SharedHeadersTest, AreNotSharedIfCodeHasLineInfo) {
  write_both("inc/value.h", "__device__ int value() { return 1; }\n");
  options_["check"] = "on";
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
  options_.erase("check");
  flags_ = {"-g"};
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
  flags_ = {};
  options_["engine"] = "host";
  program_ = reading_program("#include <value.h>\nvoid k(int* y) { y[0] = y[1] = VALUE; }\n", "c");
  write_both("inc/value.h", "#define VALUE 1\n");
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
}

// Such a path would lead into another folder of each checkout, or always into the same checkout.
TEST_F(SharedHeadersTest, AreNotSharedIfIncludePathLeavesFolder) {
  write_both("inc/value.h", "#include \"../outside.h\"\n__device__ int value() { return OUTSIDE; }\n");
  write_both("outside.h", "#define OUTSIDE 1\n");
  EXPECT_FALSE(is_found("a"));
  write("b/outside.h", "#define OUTSIDE 2\n");
  EXPECT_FALSE(is_found("b"));
  write_both("inc/value.h", "#include \"" + place("a/inc/more.h") + "\"\n__device__ int value() { return MORE; }\n");
  write_both("inc/more.h", "#define MORE 1\n");
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
  write("a/inc/more.h", "#define MORE 2\n");
  EXPECT_FALSE(is_found("b")) << "it reads that of a";
}

// With #pragma once, compilers read a file once, even if it has several names.
TEST_F(SharedHeadersTest, AreNotSharedIfTwoNamesAreOneFile) {
  const std::string counted = "#pragma once\n#ifdef ONE\n#define TWO 1\n#endif\n#define ONE 1\n";
  write_both("inc/value.h",
             "#include \"one.h\"\n#include \"two.h\"\n#ifndef TWO\n#define TWO 0\n#endif\n"
             "__device__ int value() { return TWO; }\n");
  write("a/inc/one.h", counted);
  write("a/inc/two.h", counted);
  write("b/inc/one.h", counted);
  std::filesystem::create_symlink(place("b/inc/one.h"), place("b/inc/two.h"));
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
  EXPECT_TRUE(is_found("b"));
  EXPECT_TRUE(is_found("a"));
}

TEST_F(SharedHeadersTest, RequireSameFolderLayout) {
  write_both("inc/value.h", "__device__ int value() { return 1; }\n");
  write_both("inc/sub/more.h", "");
  write_both("sub/more.h", "");
  EXPECT_FALSE(is_found("a", {"inc", "inc/sub"}));
  EXPECT_FALSE(is_found("b", {"inc", "sub"}));
  EXPECT_TRUE(is_found("b", {"inc", "inc/sub"}));
}

// Running builds and entries not yet published belong to one checkout.
TEST_F(SharedHeadersTest, StaySeparateForTwoCheckoutsInOneProcess) {
  const auto runtime = runtime_with_cache(folder_.path() / "cache");
  for (int round = 0; round < 4; ++round) {
    write("a/inc/value.h", "__device__ int value() { return " + std::to_string(round) + "; }\n");
    write("b/inc/value.h", "__device__ int value() { return " + std::to_string(10 + round) + "; }\n");
    next_file_tick();
    const auto value_in = [&](const std::string& checkout) {
      CompileOptions options{.target = "cpu", .options = options_};
      options.include_dirs = {place(checkout + "/inc")};
      const Kernel kernel = compile(*runtime, program_, options).value();
      return kernel().and_then(single).value().data_as<int>()[1];
    };
    std::future<int> of_a = std::async(std::launch::async, value_in, "a");
    EXPECT_EQ(value_in("b"), 10 + round);
    EXPECT_EQ(of_a.get(), round);
  }
}

// A header for the host in a folder decides which part of the source is compiled.
TEST_F(SharedHeadersTest, AreRecompiledWhenHostHeaderAppears) {
  write_both("inc/value.h", "__device__ int value() { return 1; }\n");
  program_ = reading_program(std::string("#include <vector>\nstd::vector<int> list();\n") + kReadsValue);
  EXPECT_FALSE(is_found("a"));
  EXPECT_TRUE(is_found("b"));
  write("b/inc/vector", "namespace std { template <class T> class vector {}; }\n");
  EXPECT_FALSE(is_found("b"));
}

struct OfDevice {
  std::string backend, target;
  Options options;
};

class SharedHeadersOfDevicesTest : public SharedHeadersTest, public testing::WithParamInterface<OfDevice> {
 protected:
  void SetUp() override {
    backend_ = GetParam().backend;
    target_ = GetParam().target;
    options_ = GetParam().options;
    write_both("inc/value.h", "#define VALUE 1\n__device__ inline int value() { return VALUE; }\n");
    const auto compiled = tried("a");
    if (!compiled && compiled.error().code == ErrorCode::kUnavailable)
      GTEST_SKIP() << needs(compiler_of(backend_), compiled.error().message);
    ASSERT_TRUE(compiled.ok()) << compiled.error().explain();
    EXPECT_FALSE(compiled->from_cache);
  }
};

TEST_P(SharedHeadersOfDevicesTest, AreReusedByContentAcrossCheckouts) {
  const BuildResult found = built("b");
  EXPECT_TRUE(found.from_cache);
  EXPECT_THAT(dependencies_of(found).files, testing::Contains(place("b/inc/value.h")));
  for (const auto& [name, content] : found.artifact.parts) {
    if (name == kDependenciesPart) continue;
    EXPECT_EQ(content.find(place("a")), content.npos) << name;
  }
  write("b/inc/value.h", "#define VALUE 2\n__device__ inline int value() { return VALUE; }\n");
  EXPECT_FALSE(is_found("b"));
  EXPECT_TRUE(is_found("a"));
}

TEST_P(SharedHeadersOfDevicesTest, AreNotSharedIfHeaderUsesItsPath) {
  write_both("inc/value.h", "__device__ inline int value() { return sizeof(__FILE__); }\n");
  EXPECT_FALSE(is_found("a"));
  EXPECT_FALSE(is_found("b"));
}

// The small size excludes compilers that run as programs.
std::vector<OfDevice> devices_of_size() {
  std::vector<OfDevice> devices = {{"nvrtc", "cuda:sm_80", {{"line_info", "off"}}}};
  if (has_all_tests())
    devices.insert(devices.end(),
                   {{"cuda", "cuda:sm_80", {{"line_info", "off"}}}, {"hip", "hip:gfx90a", {{"engine", "clang"}}}});
  return devices;
}

INSTANTIATE_TEST_SUITE_P(Backends, SharedHeadersOfDevicesTest, testing::ValuesIn(devices_of_size()),
                         [](const auto& of) { return of.param.backend; });

// Line information for profilers names the file of a function.
TEST_F(SharedHeadersTest, AreNotSharedIfProfilerLineInfoNamesHeader) {
  target_ = "cuda:sm_80";
  backend_ = "nvrtc";
  options_ = {};
  write_both("inc/value.h", "__device__ inline int value() { return threadIdx.x * 3; }\n");
  const auto compiled = tried("a");
  if (!compiled && compiled.error().code == ErrorCode::kUnavailable)
    GTEST_SKIP() << needs(compiler_of(backend_), compiled.error().message);
  EXPECT_FALSE(is_found("b"));
  write_both("inc/value.h", "#define VALUE 3\n");
  program_ = reading_program(
      "#include <value.h>\nextern \"C\" __global__ void k(int* y) { if (threadIdx.x < 2) y[threadIdx.x] = VALUE; }\n");
  EXPECT_FALSE(is_found("a"));
  EXPECT_TRUE(is_found("b"));
}

}  // namespace
}  // namespace kmux
