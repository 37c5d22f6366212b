#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "resolve/pinning.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kDigest(64, 'a');

Pin pin_of(const std::string& name) { return {kDigest, name, "c", "cpu", "0123", 1}; }

class LockFileTest : public testing::Test {
 protected:
  std::string refusal(const std::string& text) const {
    const auto pins = read_lock_file(folder_.write("lock", text));
    EXPECT_FALSE(pins.ok()) << text;
    EXPECT_EQ(pins.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(pins.error().message, AllOf(HasSubstr("lock file '"), HasSubstr("kmux tune PROGRAM --lock FILE")));
    return pins.error().message;
  }
  TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "lock";
};

TEST_F(LockFileTest, RoundTripsPins) {
  ASSERT_TRUE(write_lock_file(file_, {pin_of("b"), pin_of("a")}).ok());
  EXPECT_THAT(read_lock_file(file_).value(), ElementsAre(pin_of("a"), pin_of("b")));
}

TEST_F(LockFileTest, WritesSameTextInAnyOrder) {
  ASSERT_TRUE(write_lock_file(file_, {pin_of("b"), pin_of("a")}).ok());
  const std::string text = read_file(file_).value();
  ASSERT_TRUE(write_lock_file(file_, {pin_of("a"), pin_of("b")}).ok());
  EXPECT_EQ(read_file(file_).value(), text);
  EXPECT_THAT(text, HasSubstr(R"("kmux_lock": 1)"));
}

TEST_F(LockFileTest, AcceptsEmptyPinList) {
  ASSERT_TRUE(write_lock_file(file_, {}).ok());
  EXPECT_THAT(read_lock_file(file_).value(), IsEmpty());
}

TEST_F(LockFileTest, RejectsUnknownOrMalformedContent) {
  EXPECT_THAT(refusal(R"({"kmux_lock":1,"programs":[],"extra":1})"), HasSubstr("unknown key \"extra\""));
  EXPECT_THAT(refusal(R"({"kmux_lock":2,"programs":[]})"), HasSubstr("its version is 2, not 1"));
  EXPECT_THAT(refusal(R"({"programs":[]})"), HasSubstr("\"kmux_lock\" is not a number"));
  EXPECT_THAT(refusal(R"({"kmux_lock":1})"), HasSubstr("\"programs\" is not a list"));
  EXPECT_THAT(refusal("[]"), HasSubstr("an object is expected"));
  EXPECT_THAT(refusal("{"), HasSubstr("line 1"));
}

TEST_F(LockFileTest, RejectsDamagedPin) {
  ASSERT_TRUE(write_lock_file(file_, {pin_of("a")}).ok());
  const std::string text = read_file(file_).value();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return refusal(changed);
  };
  EXPECT_THAT(with(kDigest, "../a"), HasSubstr("\"program\" is not a digest"));
  EXPECT_THAT(with("\"backend\"", "\"backends\""), HasSubstr("\"backend\" is not a string"));
  EXPECT_THAT(with("\"variant\": 1", "\"variant\": -1"), HasSubstr("\"variant\" is not a number"));
  EXPECT_THAT(with("\"variant\": 1", "\"variant\": 1, \"x\": 2"), HasSubstr("unknown key \"x\""));
}

TEST_F(LockFileTest, RejectsMissingFile) { EXPECT_EQ(read_lock_file(file_).error().code, ErrorCode::kInvalidArgument); }

TEST_F(LockFileTest, RejectsWorldWritableFile) {
  ASSERT_TRUE(write_lock_file(file_, {}).ok());
  ::chmod(file_.c_str(), 0666);
  const auto pins = read_lock_file(file_);
  EXPECT_EQ(pins.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(pins.error().message, HasSubstr("writable by everyone"));
}

TEST_F(LockFileTest, RejectsWorldWritableFolder) {
  ASSERT_TRUE(write_lock_file(file_, {}).ok());
  ::chmod(folder_.path().c_str(), 0777);
  EXPECT_THAT(read_lock_file(file_).error().message, HasSubstr("writable by everyone"));
}

TEST_F(LockFileTest, AcceptsLargeFile) {
  const std::vector<Pin> pins(100, pin_of(std::string(256 << 10, 'a')));
  ASSERT_TRUE(write_lock_file(file_, pins).ok());
  EXPECT_EQ(read_lock_file(file_).value(), pins);
}

/// The pins that a runtime keeps in memory of a lock file.
class LockFileKeptTest : public LockFileTest {
 protected:
  LockFileKeptTest() { write("a"); }
  /// Writes the file and waits for the next tick of the file clock, so that a later change is always visible.
  void write(const std::string& name) {
    EXPECT_TRUE(write_lock_file(file_, {pin_of(name)}).ok());
    const FileTime written = FileIdentity::of(file_.string()).changed_ns();
    while (file_time_now() <= written) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  LockFiles files_;
};

TEST_F(LockFileKeptTest, CachesUnchangedFile) {
  const auto pins = files_.at(file_).value();
  EXPECT_EQ(files_.at(file_).value(), pins);
}

TEST_F(LockFileKeptTest, RereadsChangedFile) {
  const auto before = files_.at(file_).value();
  write("b");
  EXPECT_THAT(files_.at(file_).value()->of(kDigest), ElementsAre(pin_of("b")));
  EXPECT_THAT(before->of(kDigest), ElementsAre(pin_of("a"))) << "who has it may go on";
  std::filesystem::remove(file_);
  EXPECT_EQ(files_.at(file_).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(LockFileKeptTest, DetectsChangesWithinClockTick) {
  const std::string text = read_file(file_).value();
  for (const char name : std::string("bcdefghijklmnop")) {  // in place, within ticks of the file clock
    std::string changed = text;
    changed.replace(changed.find("\"a\""), 3, {'"', name, '"'});
    std::fstream(file_) << changed;
    EXPECT_EQ(files_.at(file_).value()->of(kDigest).front().name, std::string(1, name));
  }
}

TEST_F(LockFileKeptTest, RejectsFileOnceItOrFolderIsWorldWritable) {
  ASSERT_TRUE(files_.at(file_).ok());
  ::chmod(file_.c_str(), 0666);
  EXPECT_THAT(files_.at(file_).error().message, HasSubstr("writable by everyone"));
  ::chmod(file_.c_str(), 0644);
  ASSERT_TRUE(files_.at(file_).ok());
  ::chmod(folder_.path().c_str(), 0777);
  EXPECT_THAT(files_.at(file_).error().message, HasSubstr("writable by everyone"));
}

}  // namespace
}  // namespace kmux
