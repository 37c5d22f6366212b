#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isolation/worker_frame.h"
#include "plugin/program_view.h"
#include "unit/sample_program.h"

namespace kmux {
namespace {

using testing::HasSubstr;

kmux_bytes bytes_of(std::string_view text) { return {text.data(), text.size()}; }

std::string text_of(kmux_bytes bytes) { return {bytes.data, bytes.size}; }

TEST(WorkerRequestTest, RoundTripsThroughFrame) {
  const Program program = sample_program();
  const ProgramView view(program);
  Frame frame{FrameKind::kWrap, {"/folder"}};
  append_request(frame, {sizeof(kmux_build_request), view.get(), 1, bytes_of("cuda:sm_90a"), bytes_of("{}"),
                         bytes_of("launcher"), bytes_of("artifact"), nullptr});
  RequestParts parts = RequestParts::read(frame, 1).value();
  const kmux_call call{};
  const kmux_build_request request = parts.get(&call);
  EXPECT_EQ(read_program(*request.program).value(), program);
  EXPECT_EQ(request.variant, 1U);
  EXPECT_EQ(text_of(request.target), "cuda:sm_90a");
  EXPECT_EQ(text_of(request.options), "{}");
  EXPECT_EQ(text_of(request.launcher), "launcher");
  EXPECT_EQ(text_of(request.artifact), "artifact");
  EXPECT_EQ(request.call, &call);
}

TEST(WorkerRequestTest, RejectsMissingFieldsAndInvalidNumbers) {
  EXPECT_THAT(RequestParts::read({FrameKind::kWrap, {"/", "{}", "0", "c", "{}", ""}}, 1).error().message,
              HasSubstr("build request of 6 parts"));
  EXPECT_THAT(RequestParts::read({FrameKind::kWrap, {"/", "{}", "first", "c", "{}", "", ""}}, 1).error().message,
              HasSubstr("\"first\" is not a number"));
}

}  // namespace
}  // namespace kmux
