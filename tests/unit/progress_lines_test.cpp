#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/progress_view.h"

namespace kmux::cli {
namespace {

using testing::ElementsAre;

TEST(ProgressLinesTest, WritesOneLinePerFinishedProgram) {
  std::vector<std::string> written;
  ProgressLines lines([&](const std::string& text) { written.push_back(text); }, {"a", "b", "c", "d", "e"});
  const CompileCounts counts{.total = 5};
  const std::string name = "program";
  const Error error = make_error(ErrorCode::kCompileFailed, "expected ';'");
  const auto show = [&](CompileProgress event) { lines.show(event); };
  show({.step = JobStep::kQueued, .index = 0, .program = name, .counts = counts});
  show({.step = JobStep::kStarted, .index = 0, .program = name, .counts = counts});
  show({.step = JobStep::kCompiling, .index = 0, .program = name, .counts = counts, .backend = "cpu"});
  show({.step = JobStep::kDone,
        .index = 1,
        .program = name,
        .counts = counts,
        .backend = "cpu",
        .elapsed = std::chrono::milliseconds(120)});
  show({.step = JobStep::kDone, .index = 0, .program = name, .counts = counts, .backend = "cpu", .from_cache = true});
  show({.step = JobStep::kDone, .index = 2, .program = name, .counts = counts, .backend = "cpu", .same_as = 0});
  show({.step = JobStep::kFailed, .index = 3, .program = name, .counts = counts, .error = &error});
  show({.step = JobStep::kCancelled, .index = 4, .program = name, .counts = counts});
  lines.end();
  EXPECT_THAT(written,
              ElementsAre("[1/5] b: compiled with cpu in 120 ms\n", "[2/5] a: found in the cache (cpu)\n",
                          "[3/5] c: the same as a\n", "[4/5] d: failed: expected ';'\n", "[5/5] e: cancelled\n"));
}

}  // namespace
}  // namespace kmux::cli
