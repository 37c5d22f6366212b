#include "cache/dependency_state.h"

#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A moment after everything that was written so far. Since Linux 6.13 files may have times that are finer than the clock
/// of ticks, and later: that clock has to pass what the time of day is now.
FileTime next_tick() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  while (file_time_now() <= std::chrono::nanoseconds(now).count()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return file_time_now();
}

/// Gives `path` the times of `other`.
void copy_times(const fs::path& other, const fs::path& path) {
  struct stat info{};
  ::stat(other.c_str(), &info);
  const timespec times[] = {info.st_atim, info.st_mtim};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

class DependencyStateTest : public testing::Test {
 protected:
  DependencyStateTest() {
    dependencies_.files = {temp_.write("a.h", "1"), temp_.write("sub/b.h", "2")};
    dependencies_.absent = {temp_.path() / "front" / "a.h", temp_.path() / "none" / "a.h",
                            temp_.path() / "sub" / "a.h"};
    fs::create_directory(temp_.path() / "front");
  }
  DependencyState captured() { return capture(dependencies_, next_tick()).value(); }
  std::string second() { return second_digest("key", captured()); }

  TempFolder temp_;
  Dependencies dependencies_;
};

TEST_F(DependencyStateTest, HoldsUntilAFileChanges) {
  const DependencyState state = captured();
  EXPECT_EQ(find_change(state), std::nullopt);
  temp_.write("a.h", "3");
  EXPECT_THAT(find_change(state).value(), HasSubstr("a.h' changed"));
  temp_.write("a.h", "1");  // another time, the same content
  EXPECT_EQ(find_change(state), std::nullopt);
  temp_.write("a.h", "11");
  EXPECT_TRUE(find_change(state));
  fs::remove(temp_.path() / "a.h");
  EXPECT_TRUE(find_change(state));
}

TEST_F(DependencyStateTest, DoesNotHashWhatHasTheSameSizeAndTime) {
  const DependencyState state = captured();
  temp_.write("other.h", "3");
  copy_times(temp_.path() / "a.h", temp_.path() / "other.h");
  fs::rename(temp_.path() / "other.h", temp_.path() / "a.h");
  EXPECT_EQ(find_change(state), std::nullopt);
}

TEST_F(DependencyStateTest, SeesCandidatesThatWereAdded) {
  for (const char* folder : {"front", "none", "sub"}) {
    const DependencyState state = captured();
    temp_.write(fs::path(folder) / "x.h", "");  // the folder changes, the candidate is not there
    EXPECT_EQ(find_change(state), std::nullopt);
    temp_.write(fs::path(folder) / "a.h", "");
    EXPECT_THAT(find_change(state).value(), HasSubstr(std::string(folder) + "/a.h' was added"));
    fs::remove(temp_.path() / folder / "a.h");
    EXPECT_EQ(find_change(state), std::nullopt);
  }
}

TEST_F(DependencyStateTest, SeesACandidateAddedInTheTickOfItsCapture) {
  const FileTime began = next_tick();
  temp_.write("front/fresh", "");
  const DependencyState state = capture(dependencies_, began).value();
  temp_.write("front/a.h", "");
  EXPECT_TRUE(find_change(state));
}

TEST_F(DependencyStateTest, TakesAFolderForNoCandidate) {
  fs::create_directory(temp_.path() / "front" / "a.h");
  EXPECT_EQ(find_change(captured()), std::nullopt);
}

TEST_F(DependencyStateTest, RefusesWhatChangedSinceTheBuildBegan) {
  const FileTime began = next_tick();
  temp_.write("a.h", "1");
  const Error changed = capture(dependencies_, began).error();
  EXPECT_EQ(changed.code, ErrorCode::kUnavailable);
  EXPECT_THAT(changed.message, HasSubstr("a.h' changed meanwhile"));
  temp_.write("front/a.h", "");
  EXPECT_THAT(capture(dependencies_, next_tick()).error().message, HasSubstr("front/a.h' was added meanwhile"));
  fs::remove(temp_.path() / "a.h");
  EXPECT_THAT(capture(dependencies_, next_tick()).error().message, HasSubstr("a.h' is gone"));
}

TEST_F(DependencyStateTest, RefusesNamesWithLineEnds) {
  EXPECT_THAT(capture({{"/a\nb"}, {}}, 0).error().message, HasSubstr("line end"));
  EXPECT_THAT(capture({{}, {"/a\nb"}}, 0).error().message, HasSubstr("line end"));
}

TEST_F(DependencyStateTest, NamesContentsNotTimes) {
  const std::string before = second();
  temp_.write("a.h", "1");
  temp_.write("front/x.h", "");
  EXPECT_EQ(second(), before);
  temp_.write("a.h", "3");
  EXPECT_NE(second(), before);
  temp_.write("a.h", "1");
  dependencies_.absent.pop_back();
  EXPECT_NE(second(), before);
  EXPECT_NE(second_digest("key", {}), second_digest("other", {}));
}

TEST_F(DependencyStateTest, ReadsWhatItWrites) {
  const DependencyState state = captured();
  EXPECT_EQ(dependency_state_from_text(to_text(state)).value(), state);
  EXPECT_EQ(dependency_state_from_text("").value(), DependencyState{});
}

TEST_F(DependencyStateTest, RefusesMalformedText) {
  const std::string digest(64, 'a');
  const std::vector<std::string> malformed = {"x",
                                              "file " + digest + " 1 x /a",
                                              "file " + digest + " 1 2 a",
                                              "file abc 1 2 /a",
                                              "file " + digest,
                                              "folder 1 a",
                                              "folder x /a",
                                              "absent /a",
                                              "folder 1 /a\nabsent b",
                                              "\n"};
  for (const std::string& text : malformed) {
    const Result<DependencyState> state = dependency_state_from_text(text);
    ASSERT_FALSE(state.ok()) << text;
    EXPECT_EQ(state.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(state.error().message, HasSubstr("of the dependencies is malformed"));
  }
}

}  // namespace
}  // namespace kmux
