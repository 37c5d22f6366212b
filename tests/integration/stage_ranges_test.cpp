// The ranges of a compile that profilers see, recorded by a fake NVTX.

#include <dlfcn.h>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/trace.h"

#include "system/trace_log.h"

namespace kmux {
namespace {

Program adding() {
  ProgramBuilder program("adding");
  program.input("a", dtype::kFloat32, {4}).variant("c").source("adding.c", "void adding(float* a) { a[0] += 1; }\n");
  program.launch("adding").args({"a"});
  return program.build().value();
}

Shared<Runtime> runtime_with(const std::map<std::string, std::string>& variables) {
  Environment environment = Environment::from(variables);
  environment.disable_cache = true;
  const RegistryOptions options{.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}, .use_default_path = false};
  return Runtime::create(std::move(environment), options).value();
}

/// The fake NVTX records ranges as "name(" and ")". Once requested, ranges stay enabled for the rest of the process, so
/// each test checks only the new text.
class StageRangesTest : public testing::Test {
 protected:
  void SetUp() override {
    void* const library = dlopen(KMUX_FAKE_NVTX, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    told_ = reinterpret_cast<const char* (*)()>(dlsym(library, "kmux_told"));
    ASSERT_NE(told_, nullptr);
    before_ = std::string(told_()).size();
  }
  std::string told() const { return std::string(told_()).substr(before_); }

  const char* (*told_)() = nullptr;
  std::size_t before_ = 0;
};

// Must run first: no test has requested ranges yet.
TEST_F(StageRangesTest, AreOffByDefault) {
  for (const char* off : {"", "0", "off", "no", "false"}) {
    compile(*runtime_with({{"KMUX_NVTX", off}}), adding()).value();
    EXPECT_EQ(told(), "") << off;
  }
  EXPECT_LT(begin_stage_range("build", "gemm"), 0);
  mark_phase_range(true, "link");
  EXPECT_EQ(told(), "");
}

TEST_F(StageRangesTest, CoverEveryCompileStage) {
  compile(*runtime_with({{"KMUX_NVTX", "1"}}), adding()).value();
  EXPECT_EQ(told(), "resolve adding()wrap adding()build adding()load adding()");
}

TEST_F(StageRangesTest, EndWhenCompileFails) {
  EXPECT_FALSE(compile(*runtime_with({{"KMUX_NVTX", "1"}}), adding(), {.target = "c", .execution_backend = "none"}));
  EXPECT_EQ(told(), "resolve adding()");
}

TEST_F(StageRangesTest, AreEmittedWhileTracing) {
  const auto runtime = runtime_with({{"KMUX_NVTX", "1"}});
  start_trace();
  compile(*runtime, adding()).value();
  EXPECT_EQ(stop_trace().events.size(), 4);
  EXPECT_EQ(told(), "resolve adding()wrap adding()build adding()load adding()");
}

TEST_F(StageRangesTest, NestLikeStagesAndPhases) {
  show_stage_ranges(Environment::from({{"KMUX_NVTX", "1"}}));
  {
    const TraceSpan outer("build", "gemm");
    add_plugin_phase("cpu", true, "compile");
    {
      const TraceSpan inner("load");
    }
    add_plugin_phase("cpu", false, "compile");
  }
  EXPECT_EQ(told(), "build gemm(compile(load()))");
}

TEST_F(StageRangesTest, TolerateUnmatchedPhases) {
  show_stage_ranges(Environment::from({{"KMUX_NVTX", "1"}}));
  {
    const TraceSpan outer("build");
    mark_phase_range(false, "never begun");
    mark_phase_range(true, "never ended");
  }
  EXPECT_EQ(told(), "build(never ended())");
}

TEST_F(StageRangesTest, IgnoreEnvironmentInSecureMode) {
  EXPECT_TRUE(Environment::from({{"KMUX_NVTX", "1"}}, /*secure=*/true).variables.empty());
}

}  // namespace
}  // namespace kmux
