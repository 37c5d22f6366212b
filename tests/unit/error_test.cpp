#include "kmux/error.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Result<int> half(int number) {
  if (number % 2 != 0) return make_error(ErrorCode::kInvalidArgument, "odd");
  return number / 2;
}

Status check(int number) {
  KMUX_TRY(half(number));
  return Ok{};
}

Result<int> quarter(int number) {
  KMUX_ASSIGN(const int once, half(number));
  KMUX_ASSIGN(const int twice, half(once));
  return twice;
}

TEST(ErrorTest, NamesEveryCode) {
  EXPECT_EQ(to_string(ErrorCode::kOk), "ok");
  EXPECT_EQ(to_string(ErrorCode::kInvalidArgument), "invalid_argument");
  EXPECT_EQ(to_string(ErrorCode::kUnsupported), "unsupported");
  EXPECT_EQ(to_string(ErrorCode::kUnavailable), "unavailable");
  EXPECT_EQ(to_string(ErrorCode::kCompileFailed), "compile_failed");
  EXPECT_EQ(to_string(ErrorCode::kLaunchFailed), "launch_failed");
  EXPECT_EQ(to_string(ErrorCode::kInternal), "internal");
  EXPECT_EQ(to_string(static_cast<ErrorCode>(99)), "unknown");
}

TEST(ErrorTest, RecordsSourceLocation) {
  const int line = __LINE__ + 1;
  const Error error = make_error(ErrorCode::kInternal, "x");
  EXPECT_EQ(error.line, line);
  EXPECT_THAT(error.file, EndsWith("error_test.cpp"));
}

TEST(ErrorTest, FindsFirstNoteOfKind) {
  const Error error = make_error(ErrorCode::kInternal, "x").with("log", "a").with("path", "p").with("log", "b");
  EXPECT_EQ(error.note("log"), "a");
  EXPECT_EQ(error.note("path"), "p");
  EXPECT_EQ(error.note("command"), std::nullopt);
}

TEST(ErrorTest, ExplainsWithIndentedNotes) {
  const Error error = make_error(ErrorCode::kCompileFailed, "no.").with("log", "one\n\ntwo\n").with("path", "p");
  EXPECT_EQ(error.explain(), "compile_failed: no.\n  log:\n    one\n\n    two\n  path:\n    p");
  EXPECT_EQ(error.brief("here"), "compile_failed: no.\n  log: one\n    two\n  path: p");  // C2.6
  EXPECT_EQ(error.brief("here", 3), "compile_failed: no.\n  log: one\n  (2 more lines; here)");
  EXPECT_EQ(Exception(error).what(), error.brief(""));
}

TEST(ResultTest, HoldsValueOrError) {
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_FALSE(half(3));
  EXPECT_EQ(half(3).error().message, "odd");
}

TEST(ResultTest, ThrowsErrorFromValue) {
  try {
    half(3).value();
    FAIL() << "no exception";
  } catch (const Exception& exception) {
    EXPECT_EQ(exception.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(exception.what(), HasSubstr("invalid_argument: odd"));
  }
}

TEST(ResultTest, MacrosPropagateError) {
  EXPECT_TRUE(check(2));
  EXPECT_EQ(check(3).error().message, "odd");
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
}

TEST(ResultTest, ReturnsFallbackFromValueOr) {
  EXPECT_EQ(half(4).value_or(7), 2);
  EXPECT_EQ(half(3).value_or(7), 7);
  const Result<std::string> none = make_error(ErrorCode::kInternal, "x");
  EXPECT_EQ(none.value_or("other"), "other");
  EXPECT_EQ(*Result<std::unique_ptr<int>>(make_error(ErrorCode::kInternal, "x")).value_or(std::make_unique<int>(1)), 1);
}

TEST(ResultTest, ChainsValueOrPropagatesError) {
  EXPECT_EQ(half(8).and_then(half).value(), 2);
  EXPECT_EQ(half(6).and_then(half).error().message, "odd");
  EXPECT_EQ(half(1).and_then(half).error().message, "odd");
  const Result<int> kept = half(8);
  EXPECT_EQ(kept.and_then(half).value(), 2);
  const auto text = [](int number) { return std::to_string(number); };
  EXPECT_EQ(kept.transform(text).value(), "4");
  EXPECT_EQ(half(3).transform(text).error().message, "odd");
  auto moved =
      Result<std::unique_ptr<int>>(std::make_unique<int>(5)).transform([](std::unique_ptr<int> p) { return *p; });
  EXPECT_EQ(moved.value(), 5);
}

}  // namespace
}  // namespace kmux
