// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/sink.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(SinkTest, AppendsWrittenText) {
  std::string text = "a";
  const kmux_sink sink = append_to(text);
  write(sink, "b");
  write(sink, "c");
  EXPECT_EQ(text, "abc");
}

TEST(SinkTest, ReturnsFailureIfTextCannotGrow) {
  std::string text;
  const kmux_sink sink = append_to(text);
  EXPECT_NE(sink.write(sink.self, "", text.max_size() + 1), 0);
  EXPECT_EQ(text, "");
}

TEST(SinkTest, DiscardsWrittenText) {
  const kmux_sink sink = discard();
  EXPECT_EQ(sink.write(sink.self, "a", 1), 0);
}

}  // namespace
}  // namespace kmux
