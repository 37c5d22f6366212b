#include "kmux/artifact.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/backend_json.h"

namespace kmux {
namespace {

using ::testing::HasSubstr;

Artifact sample() {
  Artifact artifact;
  artifact.set("code", std::string("\x7f"
                                   "ELF\0\1\2",
                                   7));
  artifact.set("launcher", "int launch();\n");
  artifact.set("deps", "");
  return artifact;
}

TEST(ArtifactTest, FindsAndReplacesParts) {
  Artifact artifact = sample();
  EXPECT_EQ(*artifact.find("launcher"), "int launch();\n");
  EXPECT_EQ(artifact.find("plan"), nullptr);
  artifact.set("launcher", "new");
  EXPECT_EQ(*artifact.find("launcher"), "new");
  EXPECT_EQ(artifact.parts.size(), 3u);
}

TEST(ArtifactTest, RoundTripsThroughSerialization) {
  EXPECT_EQ(deserialize(serialize(sample())).value(), sample());
  EXPECT_EQ(deserialize(serialize(Artifact{})).value(), Artifact{});
  EXPECT_EQ(serialize(sample()), serialize(sample()));
}

TEST(ArtifactTest, RejectsEveryTruncation) {
  const std::string bytes = serialize(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto result = deserialize(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(result) << size;
    ASSERT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ArtifactTest, RejectsEveryFlippedBit) {
  const std::string bytes = serialize(sample());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_FALSE(deserialize(damaged)) << "bit " << bit;
  }
}

TEST(ArtifactTest, RejectsRandomDamage) {
  std::mt19937 random(3);
  const std::string bytes = serialize(sample());
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = bytes.substr(0, random() % (bytes.size() + 1));
    for (auto n = random() % 40; n > 0; --n) damaged += static_cast<char>(random());
    for (auto n = random() % 4; n > 0 && !damaged.empty(); --n) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const auto result = deserialize(damaged);
    ASSERT_TRUE(!result || damaged == bytes);
  }
}

TEST(ArtifactTest, ReportsFormatErrors) {
  const std::string bytes = serialize(sample());
  EXPECT_THAT(deserialize("hello").error().message, HasSubstr("does not begin as an artifact"));
  EXPECT_THAT(deserialize(bytes.substr(0, 20)).error().message, HasSubstr("truncated"));
  EXPECT_THAT(deserialize(bytes + "x").error().message, HasSubstr("bytes follow the last part"));
  std::string newer = bytes;
  newer[8] = 2;
  EXPECT_THAT(deserialize(newer).error().message, HasSubstr("version 2"));
  std::string changed = bytes;
  changed.back() = '?';
  EXPECT_THAT(deserialize(changed).error().message, HasSubstr("\"launcher\" differs from its SHA-256"));
}

TEST(ArtifactTest, OmitsDigestsWhenBothSidesAgree) {
  const std::string bytes = serialize(sample(), Digests::kOmitted);
  EXPECT_EQ(deserialize(bytes, Digests::kOmitted).value(), sample());
  EXPECT_EQ(deserialize(serialize(sample()), Digests::kOmitted).value(), sample());
  EXPECT_FALSE(deserialize(bytes).ok()) << "what is kept has digests";
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(deserialize(std::string_view(bytes).substr(0, size), Digests::kOmitted).ok()) << size;
  }
}

TEST(ArtifactTest, RejectsDuplicatePartNames) {
  Artifact twice;
  twice.parts = {{"code", "a"}, {"code", "b"}};
  EXPECT_THAT(deserialize(serialize(twice)).error().message, HasSubstr("\"code\" occurs twice"));
}

}  // namespace
}  // namespace kmux
