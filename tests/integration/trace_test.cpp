#include "kmux/trace.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/environment.h"
#include "kmux/json.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Program adding_one() {
  ProgramBuilder program("adding");
  program.input("a", dtype::kFloat32, {4})
      .variant("c")
      .source("adding.c", "void adding_one(float* a) { a[0] += 1; }\n");
  program.launch("adding").args({"a"});
  return program.build().value();
}

/// Returns the events of a trace, each as "category:name".
std::vector<std::string> names_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const TraceEvent& event : trace.events)
    names.push_back(std::string(event.category).append(":").append(event.name));
  return names;
}

class TracingTest : public testing::Test {
 protected:
  ~TracingTest() override { stop_trace(); }
  Kernel compiled() const { return compile(*runtime_, adding_one()).value(); }
  static void launch(const Kernel& kernel) {
    const Tensor a = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
    ASSERT_TRUE(kernel.launch({a}));
  }
  Shared<Runtime> runtime_ = Runtime::create({.disable_cache = true}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"},
                                                                       .use_default_path = false})
                                 .value();
};

TEST_F(TracingTest, RecordsEveryStageAndCall) {
  start_trace();
  const Kernel kernel = compiled();
  launch(kernel);
  launch(kernel);
  EXPECT_THAT(names_of(stop_trace()), ElementsAre("compile:resolve", "compile:wrap", "compile:build", "compile:load",
                                                  "call:adding", "call:adding"));
}

TEST_F(TracingTest, RecordsMemoryHit) {
  const auto remembering = Runtime::create({.cache_dir = testing::TempDir() + "/kmux_memory_hit"},
                                           {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}, .use_default_path = false})
                               .value();
  const Kernel first = compile(*remembering, adding_one()).value();
  start_trace();
  const Kernel again = compile(*remembering, adding_one()).value();
  EXPECT_THAT(names_of(stop_trace()), ElementsAre("compile:memory hit"));
}

TEST_F(TracingTest, RecordsStartAndDuration) {
  start_trace();
  compiled();
  std::int64_t end = 0;
  for (const TraceEvent& event : stop_trace().events) {
    EXPECT_GE(event.begin_ns, end) << "one stage after the other";
    end = event.begin_ns + event.length_ns;
    EXPECT_EQ(event.detail, "adding");
  }
  EXPECT_GT(end, 0);
}

TEST_F(TracingTest, DistinguishesThreads) {
  start_trace();
  const Kernel kernel = compiled();
  launch(kernel);
  std::thread([&] { launch(kernel); }).join();
  const Trace trace = stop_trace();
  EXPECT_NE(trace.events.end()[-1].thread, trace.events.end()[-2].thread);
}

TEST_F(TracingTest, WritesTraceViewerFormat) {
  start_trace();
  compiled();
  const Json document = parse_json(stop_trace().to_json()).value();
  const Json& event = document.find("traceEvents")->as_array()->front();
  EXPECT_EQ(*event.find("ph")->as_string(), "X");
  EXPECT_EQ(*event.find("name")->as_string(), "resolve");
  EXPECT_EQ(*event.find("args")->find("detail")->as_string(), "adding");
  for (const char* key : {"ts", "dur", "pid", "tid"}) EXPECT_TRUE(event.find(key)->as_number()) << key;
  EXPECT_EQ(*document.find("otherData")->find("dropped"), Json(0));
}

TEST_F(TracingTest, StoresEachTextOnce) {
  start_trace();
  const Kernel kernel = compiled();
  for (int i = 0; i < 1000; ++i) launch(kernel);
  Trace trace = stop_trace();
  EXPECT_LT(trace.texts.size(), 20U);
  const Trace moved = std::move(trace);
  EXPECT_EQ(moved.events.back().name, "adding");
  const Json document = parse_json(moved.to_json()).value();
  const Json& event = document.find("traceEvents")->as_array()->back();
  EXPECT_EQ(*event.find("cat")->as_string(), "call");
  EXPECT_EQ(std::llround(*event.find("ts")->as_number() * 1000), moved.events.back().begin_ns);
  EXPECT_EQ(std::llround(*event.find("dur")->as_number() * 1000), moved.events.back().length_ns);
}

TEST_F(TracingTest, AllowsSettingConstants) {
  ProgramBuilder builder("scaled");
  builder.output("y", dtype::kFloat32, {1}).constant({"scale", dtype::kFloat32}).variant("cuda");
  builder.source("scaled.cu", "__constant__ float scale;\n__global__ void scaled(float* y) { *y = scale; }\n");
  builder.launch("scaled").grid({1}).block({1}).args({"y"});
  const auto runtime = Runtime::create({.disable_cache = true}, {}).value();
  start_trace();
  const Kernel kernel = compile(*runtime, builder.build().value(), {.execution_backend = "cpu"}).value();
  const float half = 0.5F;
  const Status set = kernel.set_constant("scale", Tensor::from<float>({}, dtype::kFloat32, {&half, 1}).value());
  ASSERT_TRUE(set.ok()) << set.error().explain();
  EXPECT_EQ(*static_cast<const float*>(single(kernel().value()).value().data()), half);
}

TEST_F(TracingTest, IsEmptyWithoutStart) {
  compiled();
  EXPECT_FALSE(is_tracing());
  EXPECT_THAT(stop_trace().events, IsEmpty());
}

TEST_F(TracingTest, IgnoresKernelsLoadedEarlier) {
  const Kernel kernel = compiled();
  start_trace();
  launch(kernel);
  EXPECT_THAT(names_of(stop_trace()), IsEmpty()) << "it is launched as if there were no tracing";
}

TEST_F(TracingTest, RestartDiscardsEarlierEvents) {
  start_trace();
  compiled();
  start_trace();
  EXPECT_THAT(names_of(stop_trace()), IsEmpty());
  EXPECT_FALSE(is_tracing());
}

TEST_F(TracingTest, TracedKernelRunsAfterStop) {
  start_trace();
  const Kernel kernel = compiled();
  stop_trace();
  launch(kernel);
  EXPECT_THAT(stop_trace().events, IsEmpty());
}

}  // namespace
}  // namespace kmux
