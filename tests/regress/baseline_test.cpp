#include "regress/baseline.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux::regress {
namespace {

using testing::HasSubstr;

const MachineClass kMachine{"AMD EPYC", "g++ 12", "Release"};

Baseline example() { return {kMachine, {{"call", {{0.5, 0.49, 0.51}, {0.52, 0.5, 0.54}}}, {"resolve", {{2, 2, 2}}}}}; }

/// `text` with `from` replaced once.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(BaselineTest, RoundTripsThroughFile) {
  const TempFolder folder;
  const auto file = write_baseline(folder.path() / "new", example());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->filename(), kMachine.file_name());
  const auto read = read_baseline(folder.path() / "new", kMachine);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, example());
}

TEST(BaselineTest, WritesOneLinePerRatio) {
  EXPECT_THAT(example().to_json(),
              HasSubstr("\n      {\"median\": 0.52000, \"low\": 0.50000, \"high\": 0.54000}\n    ]"));
}

TEST(BaselineTest, IsEmptyWhenFileIsMissing) {
  const TempFolder folder;
  EXPECT_EQ(read_baseline(folder.path(), kMachine).value(), std::nullopt);
  EXPECT_EQ(read_baseline(folder.path() / "missing", kMachine).value(), std::nullopt);
}

TEST(BaselineTest, RejectsAnotherMachineClass) {
  const TempFolder folder;
  Baseline other = example();
  other.machine.compiler = "clang++ 19";
  folder.write(kMachine.file_name(), other.to_json());
  const auto read = read_baseline(folder.path(), kMachine);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(read.error().message,
              HasSubstr(kMachine.file_name() + ": the baseline cannot be used (it is of \"AMD EPYC, "
                                               "clang++ 19, Release\", this is \"AMD EPYC, g++ 12"));
}

TEST(BaselineTest, ReportsInvalidContent) {
  const std::string good = example().to_json();
  const std::vector<std::pair<std::string, std::string>> wrongs = {
      {"{", "line 1"},
      {with(good, "\"version\": 1", "\"version\": 2"), "its version is not 1"},
      {with(good, "\"machine\"", "\"machines\""), "it has no member \"machine\""},
      {with(good, "\"compiler\"", "\"translator\""), "it has no text \"compiler\""},
      {with(good, "\"cases\"", "\"case\""), "it has no member \"cases\""},
      {with(good, "\"median\": 0.52000", "\"median\": -1"), "case \"call\" has no positive number \"median\""},
      {with(good, "\"median\": 0.52000", "\"median\": 0.6"), "the median of a ratio of case \"call\" lies outside"},
      {with(good, "\"high\": 2.00000", "\"high\": \"2\""), "case \"resolve\" has no positive number \"high\""},
      {R"({"version":1,"machine":{"processor":"a","compiler":"b","build_type":"c"},"cases":{"call":[]}})",
       "case \"call\" has no list of ratios"}};
  for (const auto& [text, part] : wrongs) {
    const auto baseline = Baseline::from_json(text);
    ASSERT_FALSE(baseline) << part;
    EXPECT_EQ(baseline.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(baseline.error().message, HasSubstr(part));
    EXPECT_THAT(baseline.error().message, HasSubstr("measure it anew with --update"));
  }
}

TEST(BaselineTest, FailedWriteLeavesNothingBehind) {
  const TempFolder folder;
  const std::filesystem::path file = write_baseline(folder.path(), example()).value();
  std::filesystem::create_directories(folder.path() / "place" / kMachine.file_name());  // a folder in its place
  EXPECT_FALSE(write_baseline(folder.path() / "place", example()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path() / "place"), {}), 1)
      << "nothing is left over";
  EXPECT_EQ(read_baseline(folder.path(), kMachine).value(), example());
}

// A reader that has the old file open reads the old one to its end.
TEST(BaselineTest, IsReplacedAtomically) {
  const TempFolder folder;
  const std::filesystem::path file = write_baseline(folder.path(), example()).value();
  std::ifstream old(file);
  Baseline next = example();
  next.cases.erase("resolve");
  write_baseline(folder.path(), next).value();
  const std::string text{std::istreambuf_iterator<char>(old), {}};
  EXPECT_EQ(Baseline::from_json(text).value(), example());
  EXPECT_EQ(read_baseline(folder.path(), kMachine).value(), next);
}

TEST(BaselineTest, CommittedFilesAreReadable) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KMUX_REGRESS_BASELINES)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto baseline = Baseline::from_json(text.str());
    ASSERT_TRUE(baseline) << entry.path() << baseline.error().message;
    EXPECT_EQ(baseline->machine.file_name(), entry.path().filename());
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace kmux::regress
