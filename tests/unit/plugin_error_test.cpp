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

TEST(PluginError, CodeMessageAndNotesCross) {
  const Error error = make_error(ErrorCode::kCompileFailed, "it does not compile (see the log). Correct it.")
                          .with("log", "a.c:3:1: error\n  here\n")
                          .with("command", "cc a.c");
  const Error read = round_trip(error);
  EXPECT_EQ(read.code, error.code);
  EXPECT_EQ(read.message, error.message);
  EXPECT_EQ(read.notes, error.notes);
}

TEST(PluginError, EveryCodeCrosses) {
  for (kmux_code code = KMUX_INVALID_ARGUMENT; code <= KMUX_INTERNAL; ++code) {
    EXPECT_EQ(round_trip(make_error(static_cast<ErrorCode>(code), "x")).code, static_cast<ErrorCode>(code));
  }
}

TEST(PluginError, HasTheFormOfTheHeader) {
  ByteSink text;
  EXPECT_EQ(write_error(make_error(ErrorCode::kUnavailable, "no").with("a", "b").with("c", ""), text.get()),
            KMUX_UNAVAILABLE);
  EXPECT_EQ(text.text(), std::string("no\x1e"
                                     "a\x1f"
                                     "b\x1e"
                                     "c\x1f"));
}

TEST(PluginError, FramingBytesWithinTextsDoNotFrame) {
  const Error read = round_trip(make_error(ErrorCode::kInternal,
                                           "a\x1e"
                                           "b\x1f"
                                           "c")
                                    .with("k\x1f", "\x1et"));
  EXPECT_EQ(read.message, "abc");
  EXPECT_THAT(read.notes, ElementsAre(Note{"k", "t"}));
}

TEST(PluginError, SuccessIsNoError) {
  ByteSink text;
  EXPECT_EQ(write_error(make_error(ErrorCode::kOk, "all is well"), text.get()), KMUX_INTERNAL);
}

TEST(PluginError, ReadsWhateverAPluginWrites) {
  EXPECT_EQ(read_error(99, "x").code, ErrorCode::kInternal);
  EXPECT_EQ(read_error(-1, "x").code, ErrorCode::kInternal);
  EXPECT_EQ(read_error(KMUX_UNSUPPORTED, "").code, ErrorCode::kUnsupported);
  EXPECT_THAT(read_error(KMUX_INTERNAL, "").notes, IsEmpty());
  EXPECT_THAT(read_error(KMUX_INTERNAL, "m\x1e").notes, ElementsAre(Note{"", ""}));
  EXPECT_THAT(read_error(KMUX_INTERNAL, "m\x1ek").notes, ElementsAre(Note{"k", ""}));
  EXPECT_THAT(read_error(KMUX_INTERNAL, "\x1ek\x1ft\x1e\x1fu").notes, ElementsAre(Note{"k", "t"}, Note{"", "u"}));
}

}  // namespace
}  // namespace kmux
