#include "isolation/worker_frame.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::HasSubstr;

const Frame kBuild{FrameKind::kBuild, {"launcher", "", std::string("\0\x1e\xff", 3)}};

std::string encoded(const Frame& frame) { return encode(frame).value(); }

/// Returns the error of reading `bytes`.
Error refusal_of(std::string bytes) {
  FrameReader reader;
  reader.append(bytes);
  return reader.next().error();
}

/// Returns the bytes of `frame` with the number of `bytes` bytes at `offset` replaced.
std::string with_number(const Frame& frame, std::size_t offset, std::uint64_t number, std::size_t bytes) {
  std::string text = encoded(frame);
  text.replace(offset, bytes, reinterpret_cast<const char*>(&number), bytes);
  return text;
}

TEST(WorkerFrameTest, RoundTripsUnchanged) {
  for (const Frame& frame : {kBuild, Frame{FrameKind::kOpen}, Frame{FrameKind::kLog, {"2", "text"}}}) {
    FrameReader reader;
    reader.append(encoded(frame));
    EXPECT_EQ(reader.next().value(), frame);
    EXPECT_EQ(reader.next().value(), std::nullopt);
  }
}

TEST(WorkerFrameTest, IsReassembledFromPieces) {
  const std::string bytes = encoded(kBuild) + encoded({FrameKind::kProbe, {"/"}});
  FrameReader reader;
  std::vector<Frame> frames;
  for (const char byte : bytes) {
    reader.append({&byte, 1});
    while (auto frame = reader.next().value()) frames.push_back(*std::move(frame));
  }
  EXPECT_THAT(frames, testing::ElementsAre(kBuild, Frame{FrameKind::kProbe, {"/"}}));
}

TEST(WorkerFrameTest, ReportsDamagedField) {
  EXPECT_THAT(refusal_of("this text is much longer than a header").message, HasSubstr("does not begin"));
  EXPECT_THAT(refusal_of(with_number(kBuild, 4, 0, 4)).message, HasSubstr("no kind 0"));
  EXPECT_THAT(refusal_of(with_number(kBuild, 4, 77, 4)).message, HasSubstr("no kind 77"));
  EXPECT_THAT(refusal_of(with_number(kBuild, 8, kMaxFrameParts + 1, 4)).message, HasSubstr("65537 parts"));
  EXPECT_THAT(refusal_of(with_number(kBuild, 16, kMaxFrameBytes + 1, 8)).message, HasSubstr("bytes are too many"));
  EXPECT_THAT(refusal_of(with_number(kBuild, 16, 23, 8)).message, HasSubstr("too short for its sizes"));
  EXPECT_THAT(refusal_of(with_number(kBuild, 24, ~std::uint64_t{0}, 8)).message, HasSubstr("part 0 is longer"));
  EXPECT_THAT(refusal_of(with_number(kBuild, 24, 7, 8)).message, HasSubstr("1 bytes belong to no part"));
  EXPECT_EQ(refusal_of(with_number(kBuild, 4, 0, 4)).code, ErrorCode::kInternal);
}

TEST(WorkerFrameTest, RejectsTooManyParts) {
  const Frame frame{FrameKind::kBuild, std::vector<std::string>(kMaxFrameParts + 1)};
  const auto bytes = encode(frame);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(bytes.error().message, HasSubstr("65537 files"));
}

TEST(WorkerFrameTest, SurvivesRandomDamage) {
  std::mt19937 random(1);
  const std::string sound = encoded(kBuild);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = sound + sound;
    for (unsigned flips = random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    FrameReader reader;
    reader.append(bytes);
    for (;;) {
      const auto frame = reader.next();
      if (!frame) ++refused;
      if (!frame || !*frame) break;
      EXPECT_EQ((*frame)->parts.size() <= bytes.size(), true);
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(WorkerFrameTest, ParsesNumbers) {
  EXPECT_EQ(read_number("-12").value(), -12);
  for (const char* text : {"", "1x", " 1", "0x1", "99999999999999999999"}) {
    EXPECT_THAT(read_number(text).error().message, HasSubstr("is not a number")) << text;
  }
}

TEST(WorkerFrameTest, KindNamesMatchPluginTable) {
  EXPECT_EQ(to_string(FrameKind::kProbe), "probe");
  EXPECT_EQ(to_string(FrameKind::kResolveTarget), "resolve_target");
  EXPECT_EQ(to_string(FrameKind::kBuild), "build");
  EXPECT_EQ(to_string(FrameKind::kLog), "log");
}

}  // namespace
}  // namespace kmux
