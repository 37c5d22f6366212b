#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/plugin.hpp"

#include "plugins/plugin_library.h"

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Error round_trip(const Error& error) {
  ByteSink text;
  const kmux_code code = write_error(error, text.get());
  return read_error(code, text.text());
}

TEST(PluginErrorTest, PreservesCodeMessageAndNotes) {
  const Error error = make_error(ErrorCode::kCompileFailed, "it does not compile (see the log). Correct it.")
                          .with("log", "a.c:3:1: error\n  here\n")
                          .with("command", "cc a.c");
  const Error read = round_trip(error);
  EXPECT_EQ(read.code, error.code);
  EXPECT_EQ(read.message, error.message);
  EXPECT_EQ(read.notes, error.notes);
}

TEST(PluginErrorTest, PreservesEveryCode) {
  for (kmux_code code = KMUX_INVALID_ARGUMENT; code <= KMUX_OUT_OF_MEMORY; ++code) {
    EXPECT_EQ(round_trip(make_error(static_cast<ErrorCode>(code), "x")).code, static_cast<ErrorCode>(code));
    EXPECT_NE(to_string(static_cast<ErrorCode>(code)), "unknown");
  }
}

TEST(PluginErrorTest, WritesJsonWithNotesAndPlainTextWithout) {
  ByteSink text;
  EXPECT_EQ(write_error(make_error(ErrorCode::kUnavailable, "no").with("a", "b").with("c", ""), text.get()),
            KMUX_UNAVAILABLE);
  EXPECT_EQ(text.text(), R"({"message":"no","notes":[{"kind":"a","text":"b"},{"kind":"c","text":""}]})");
  ByteSink plain;
  write_error(make_error(ErrorCode::kUnavailable, "no"), plain.get());
  EXPECT_EQ(plain.text(), "no");
}

TEST(PluginErrorTest, PreservesSpecialCharacters) {
  const Error read = round_trip(make_error(ErrorCode::kInternal, "{\"a\x1e\x1f\n").with("k\"", "{}\t\xc3\xa4"));
  EXPECT_EQ(read.message, "{\"a\x1e\x1f\n");
  EXPECT_THAT(read.notes, ElementsAre(Note{"k\"", "{}\t\xc3\xa4"}));
  EXPECT_EQ(round_trip(make_error(ErrorCode::kInternal, "{")).message, "{");
}

TEST(PluginErrorTest, ReplacesInvalidUtf8WithQuestionMarks) {
  const Error read = round_trip(make_error(ErrorCode::kCompileFailed, "m").with("log", "a\xff\xc3("));
  EXPECT_THAT(read.notes, ElementsAre(Note{"log", "a?\?("}));
}

TEST(PluginErrorTest, WritesOkCodeAsInternalError) {
  ByteSink text;
  EXPECT_EQ(write_error(make_error(ErrorCode::kOk, "all is well"), text.get()), KMUX_INTERNAL);
}

TEST(PluginErrorTest, ReadsMalformedPluginErrors) {
  EXPECT_EQ(read_error(99, "x").code, ErrorCode::kInternal);
  EXPECT_EQ(read_error(-1, "x").code, ErrorCode::kInternal);
  EXPECT_EQ(read_error(KMUX_UNSUPPORTED, "").code, ErrorCode::kUnsupported);
  EXPECT_THAT(read_error(KMUX_INTERNAL, "").notes, IsEmpty());
  EXPECT_EQ(read_error(KMUX_INTERNAL, "{no JSON").message, "{no JSON");
  EXPECT_EQ(read_error(KMUX_INTERNAL, "{}").message, "");
  EXPECT_THAT(read_error(KMUX_INTERNAL, R"({"message":1,"notes":[{},3,{"kind":"k"}]})").notes,
              ElementsAre(Note{"", ""}, Note{"", ""}, Note{"k", ""}));
}

}  // namespace
}  // namespace kmux
