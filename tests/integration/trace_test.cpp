#include "kmux/trace.h"

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/json.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Program adding() {
  ProgramBuilder program("adding");
  program.input("a", dtype::kFloat32, {4}).variant("c").source("adding.c", "void adding(float* a) { a[0] += 1; }\n");
  program.launch("adding").args({"a"});
  return program.build().value();
}

/// The events of a trace, each as "category:name".
std::vector<std::string> names_of(const std::string& trace) {
  const Json document = parse_json(trace).value();
  std::vector<std::string> names;
  for (const Json& event : *document.find("traceEvents")->as_array()) {
    names.push_back(*event.find("cat")->as_string() + ":" + *event.find("name")->as_string());
  }
  return names;
}

class Trace : public testing::Test {
 protected:
  ~Trace() override { stop_trace(); }
  Kernel compiled() const { return compile(*runtime_, adding()).value(); }
  static void launch(const Kernel& kernel) {
    const Tensor a = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
    ASSERT_TRUE(kernel.launch({a}));
  }
  std::shared_ptr<Runtime> runtime_ =
      Runtime::create({.disable_cache = true},
                      {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}, .use_default_path = false})
          .value();
};

TEST_F(Trace, HasEveryStageAndEveryCall) {
  start_trace();
  const Kernel kernel = compiled();
  launch(kernel);
  launch(kernel);
  EXPECT_THAT(names_of(stop_trace()), ElementsAre("compile:resolve", "compile:wrap", "compile:build", "compile:load",
                                                  "call:adding", "call:adding"));
}

TEST_F(Trace, SaysWhenAndHowLong) {
  start_trace();
  compiled();
  const Json document = parse_json(stop_trace()).value();
  const Json::Array& events = *document.find("traceEvents")->as_array();
  double end = 0;
  for (const Json& event : events) {
    EXPECT_EQ(*event.find("ph")->as_string(), "X");
    EXPECT_GE(event.find("ts")->as_number().value(), end) << "one stage after the other";
    end = event.find("ts")->as_number().value() + event.find("dur")->as_number().value();
    EXPECT_EQ(*event.find("args")->find("detail")->as_string(), "adding");
  }
}

TEST_F(Trace, NumbersThreads) {
  start_trace();
  const Kernel kernel = compiled();
  launch(kernel);
  std::thread([&] { launch(kernel); }).join();
  const Json document = parse_json(stop_trace()).value();
  const Json::Array& events = *document.find("traceEvents")->as_array();
  EXPECT_NE(*events.end()[-1].find("tid"), *events.end()[-2].find("tid"));
}

TEST_F(Trace, IsEmptyWithoutABeginning) {
  compiled();
  EXPECT_FALSE(is_tracing());
  EXPECT_THAT(stop_trace(), IsEmpty());
}

TEST_F(Trace, LeavesAloneWhatWasLoadedBefore) {
  const Kernel kernel = compiled();
  start_trace();
  launch(kernel);
  EXPECT_THAT(names_of(stop_trace()), IsEmpty()) << "it is launched as if there were no tracing";
}

TEST_F(Trace, ForgetsWhatWasNotTaken) {
  start_trace();
  compiled();
  start_trace();
  EXPECT_THAT(names_of(stop_trace()), IsEmpty());
  EXPECT_FALSE(is_tracing());
}

TEST_F(Trace, GoesOnWithoutARecording) {
  start_trace();
  const Kernel kernel = compiled();
  stop_trace();
  launch(kernel);
  EXPECT_THAT(stop_trace(), IsEmpty());
}

}  // namespace
}  // namespace kmux
