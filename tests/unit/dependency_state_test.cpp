#include "cache/disk/dependency_state.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/platform.h"

#include "file_tick.h"
#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DependencyStateTest : public testing::Test {
 protected:
  DependencyStateTest() {
    dependencies_.files = {temp_.write("a.h", "1"), temp_.write("sub/b.h", "2")};
    dependencies_.absent = {temp_.path() / "front" / "a.h", temp_.path() / "none" / "a.h",
                            temp_.path() / "sub" / "a.h"};
    fs::create_directory(temp_.path() / "front");
  }
  DependencyState captured() { return capture(dependencies_, next_file_tick()).value(); }
  std::string second() { return second_digest("key", captured()); }

  TempFolder temp_;
  Dependencies dependencies_;
};

TEST_F(DependencyStateTest, HoldsUntilContentChanges) {
  const DependencyState state = captured();
  EXPECT_EQ(find_change(state), std::nullopt);
  temp_.write("a.h", "3");
  EXPECT_THAT(find_change(state).value(), HasSubstr("a.h' changed"));
  temp_.write("a.h", "1");  // a new time, the same content
  EXPECT_EQ(find_change(state), std::nullopt);
  temp_.write("a.h", "11");
  EXPECT_TRUE(find_change(state));
  fs::remove(temp_.path() / "a.h");
  EXPECT_TRUE(find_change(state));
}

// As on a file server whose clock is five seconds behind: every change appears to be older than the build.
TEST_F(DependencyStateTest, DetectsChangeDuringBuildDespiteClockSkew) {
  const auto captured_late = [&] { return capture(dependencies_, file_time_now() + 5'000'000'000); };
  dependencies_.seen = DependencySight{.passed = {}};
  for (const std::string& path : dependencies_.files) dependencies_.seen->files.push_back(FileIdentity::of(path));
  EXPECT_TRUE(captured_late().ok());
  temp_.write("a.h", "3");
  EXPECT_THAT(captured_late().error().message, HasSubstr("a.h' changed meanwhile"));
  dependencies_.seen->files[0] = FileIdentity::of(dependencies_.files[0]);
  EXPECT_TRUE(captured_late().ok());
  fs::create_directory(temp_.path() / "front" / "a.h");
  EXPECT_THAT(captured_late().error().message, HasSubstr("front/a.h' was added meanwhile"));
  dependencies_.seen->passed = {temp_.path() / "front" / "a.h"};
  EXPECT_TRUE(captured_late().ok());
}

TEST_F(DependencyStateTest, DetectsReplacementOfSameSizeAndTime) {
  const DependencyState state = captured();
  temp_.write("other.h", "3");
  copy_mtime(temp_.path() / "a.h", temp_.path() / "other.h");
  fs::rename(temp_.path() / "other.h", temp_.path() / "a.h");
  EXPECT_THAT(find_change(state).value(), HasSubstr("a.h' changed"));
}

TEST_F(DependencyStateTest, ComparesContentsFromAnotherMachine) {
  const DependencyState state = of_another_machine(captured());
  EXPECT_EQ(find_change(state), std::nullopt);
  DependencyState other = state;
  other.files[0].sha256 = std::string(64, 'a');  // the writing machine had other content with the same identity
  EXPECT_THAT(find_change(other).value(), HasSubstr("a.h' changed"));
  other.machine = boot_mark();
  EXPECT_EQ(find_change(other), std::nullopt) << "here the identity is enough";
  temp_.write("front/a.h", "");
  EXPECT_THAT(find_change(state).value(), HasSubstr("front/a.h' was added"));
}

TEST_F(DependencyStateTest, WithoutFilesIsMachineIndependent) {
  const DependencyState state = capture({}, next_file_tick()).value();
  EXPECT_EQ(state.machine, "");
  EXPECT_EQ(find_change(state), std::nullopt);
  EXPECT_TRUE(dependency_state_from_text(to_text(state)).value().empty());
}

TEST(BootMarkTest, EqualsBootId) {
  const std::string id = boot_id();
  if (id.empty())
    GTEST_SKIP() << needs("a boot id", "there is no /proc/sys/kernel/random/boot_id, or this is the portable way");
  EXPECT_EQ(boot_mark(), id);
}

TEST_F(DependencyStateTest, TreatsNewIdentityAsChangeWithoutHashes) {
  DependencyState state = capture(dependencies_, next_file_tick(), FileContents::kLeft).value();
  EXPECT_EQ(find_change(state), std::nullopt);
  DependencyState hashed = state;
  hash_contents(hashed);
  temp_.write("a.h", "1");
  EXPECT_TRUE(find_change(state));
  EXPECT_EQ(find_change(hashed), std::nullopt) << "only touched";
  hash_contents(state);
  EXPECT_TRUE(find_change(state)) << "too late to hash what it was";
  temp_.write("a.h", "2");
  EXPECT_TRUE(find_change(hashed));
}

TEST_F(DependencyStateTest, DetectsCandidateBelowMissingFolder) {
  dependencies_.absent = {(temp_.path() / "front" / "lib").string()};  // the outermost missing folder
  const FileTime began = next_file_tick();
  const DependencyState state = capture(dependencies_, began).value();
  temp_.write("front/lib/a.h", "");
  EXPECT_THAT(find_change(state).value(), HasSubstr("front/lib' was added"));
  EXPECT_THAT(capture(dependencies_, began).error().message, HasSubstr("front/lib' was added meanwhile"));
}

TEST_F(DependencyStateTest, DetectsNewTargetOfDanglingLink) {
  const fs::path link = temp_.path() / "front" / "a.h";
  fs::create_symlink(temp_.path() / "later.h", link);
  const DependencyState state = captured();
  EXPECT_EQ(find_change(state), std::nullopt);
  temp_.write("later.h", "");
  EXPECT_THAT(find_change(state).value(), HasSubstr("front/a.h' was added"));
}

TEST_F(DependencyStateTest, DetectsReplacedFolder) {
  temp_.write("new/a.h", "");
  const DependencyState state = captured();
  fs::rename(temp_.path() / "front", temp_.path() / "old");
  fs::rename(temp_.path() / "new", temp_.path() / "front");
  EXPECT_THAT(find_change(state).value(), HasSubstr("front/a.h' was added"));
}

TEST_F(DependencyStateTest, DetectsAddedCandidates) {
  for (const char* folder : {"front", "none", "sub"}) {
    const DependencyState state = captured();
    temp_.write(fs::path(folder) / "x.h", "");  // changes the folder, but does not add the candidate
    EXPECT_EQ(find_change(state), std::nullopt);
    temp_.write(fs::path(folder) / "a.h", "");
    EXPECT_THAT(find_change(state).value(), HasSubstr(std::string(folder) + "/a.h' was added"));
    fs::remove(temp_.path() / folder / "a.h");
    EXPECT_EQ(find_change(state), std::nullopt);
  }
}

TEST_F(DependencyStateTest, DetectsCandidateAddedInTickOfCapture) {
  const FileTime began = next_file_tick();
  temp_.write("front/fresh", "");
  const DependencyState state = capture(dependencies_, began).value();
  temp_.write("front/a.h", "");
  EXPECT_TRUE(find_change(state));
}

TEST_F(DependencyStateTest, IgnoresFoldersAsCandidates) {
  fs::create_directory(temp_.path() / "front" / "a.h");
  const DependencyState state = captured();
  EXPECT_EQ(find_change(state), std::nullopt);
  EXPECT_EQ(dependency_state_from_text(to_text(state)).value(), state);
  temp_.write("front/x.h", "");
  EXPECT_EQ(find_change(state), std::nullopt);
  fs::remove(temp_.path() / "front" / "a.h");
  temp_.write("front/a.h", "");
  EXPECT_TRUE(find_change(state));
}

TEST_F(DependencyStateTest, RejectsChangesSinceBuildBegan) {
  const FileTime began = next_file_tick();
  temp_.write("a.h", "1");
  const Error changed = capture(dependencies_, began).error();
  EXPECT_EQ(changed.code, ErrorCode::kUnavailable);
  EXPECT_THAT(changed.message, HasSubstr("a.h' changed meanwhile"));
  temp_.write("front/a.h", "");
  EXPECT_THAT(capture(dependencies_, next_file_tick()).error().message, HasSubstr("front/a.h' was added meanwhile"));
  fs::remove(temp_.path() / "a.h");
  EXPECT_THAT(capture(dependencies_, next_file_tick()).error().message, HasSubstr("a.h' is gone"));
}

TEST_F(DependencyStateTest, RejectsNamesWithLineEnds) {
  EXPECT_THAT(capture({{"/a\nb"}, {}}, 0).error().message, HasSubstr("line end"));
  EXPECT_THAT(capture({{}, {"/a\nb"}}, 0).error().message, HasSubstr("line end"));
}

TEST_F(DependencyStateTest, DigestDependsOnContentsNotTimes) {
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

TEST_F(DependencyStateTest, RoundTripsThroughText) {
  const DependencyState state = captured();
  EXPECT_EQ(dependency_state_from_text(to_text(state)).value(), state);
  EXPECT_EQ(dependency_state_from_text("").value(), DependencyState{});
}

TEST_F(DependencyStateTest, RejectsMalformedText) {
  const std::string digest(64, 'a');
  const std::vector<std::string> malformed = {"x",
                                              "file " + digest + " 1 2 3 4 x /a",
                                              "file " + digest + " 1 2 3 4 5 a",
                                              "file " + digest + " 1 2 /a",
                                              "file abc 1 2 3 4 5 /a",
                                              "file " + digest,
                                              "folder 1 2 3 4 5 a",
                                              "folder 1 2 3 4 x /a",
                                              "unsettled /a",
                                              "absent /a",
                                              "passed /a",
                                              "folder 1 2 3 4 5 /a\nabsent b",
                                              "folder 1 2 3 4 5 /a\nmachine x",
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
