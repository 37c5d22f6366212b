#include "cache/remote/remote_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/artifact.h"
#include "kmux/plugin/sha256.h"

#include "cache/remote/remote_tier.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kKey = sha256_hex("key");

PackedEntry entry(const std::string& state, const std::string& content = "content") {
  return {kKey, sha256_hex(state), {{"manifest.json", "{}"}, {"artifact", content}}};
}

std::vector<std::string> states(const RemoteValue& value) {
  std::vector<std::string> all;
  for (const PackedEntry& one : value.entries) all.push_back(one.second);
  return all;
}

TEST(RemoteValueTest, RoundTripsEntries) {
  for (const char* secret : {"", "secret"}) {
    const RemoteValue value = read_remote_bytes(kKey, to_remote_bytes({entry("b"), entry("a")}, secret), secret);
    EXPECT_THAT(states(value), ElementsAre(sha256_hex("b"), sha256_hex("a")));
    EXPECT_EQ(value.entries[0].key, kKey);
    EXPECT_EQ(value.entries[0].files, entry("b").files);
    EXPECT_THAT(value.refused, IsEmpty());
  }
}

TEST(RemoteValueTest, DropsLastEntriesBeyondLimits) {
  const std::string bytes = to_remote_bytes({entry("1"), entry("2"), entry("3"), entry("4"), entry("5")}, "");
  EXPECT_THAT(states(read_remote_bytes(kKey, bytes, "")),
              ElementsAre(sha256_hex("1"), sha256_hex("2"), sha256_hex("3"), sha256_hex("4")));
  const std::string half(kMaxRemoteBytes / 2, 'x');
  const std::string large = to_remote_bytes({entry("1", half), entry("2", half)}, "");
  EXPECT_THAT(states(read_remote_bytes(kKey, large, "")), ElementsAre(sha256_hex("1")));
  EXPECT_LE(large.size(), kMaxRemoteBytes);
  EXPECT_EQ(to_remote_bytes({entry("1", half + half)}, ""), "");
}

TEST(RemoteValueTest, LimitsNumberOfPartsRead) {
  Artifact many;
  for (int i = 0; i < 1000; ++i) many.set(sha256_hex(std::to_string(i)), "x");
  const RemoteValue value = read_remote_bytes(kKey, serialize(many), "secret");
  EXPECT_THAT(value.entries, IsEmpty());
  EXPECT_THAT(value.refused, ElementsAre("it is truncated", "it is truncated", "it is truncated", "it is truncated",
                                         "it has 1000 parts, of which 4 are read"));
}

TEST(RemoteValueTest, MacCoversKeyStateContentAndSecret) {
  const std::string authenticated = to_remote_bytes({entry("a")}, "secret");
  const auto refused = [](const std::string& key, const std::string& bytes, const char* secret) {
    return read_remote_bytes(key, bytes, secret).refused;
  };
  EXPECT_THAT(refused(kKey, authenticated, "secret"), IsEmpty());
  EXPECT_THAT(refused(kKey, authenticated, ""), IsEmpty()) << "without a key nobody asks for a MAC";
  EXPECT_THAT(refused(kKey, authenticated, "Secret"), ElementsAre("its MAC is not that of this fleet's key"));
  EXPECT_THAT(refused(sha256_hex("other"), authenticated, "secret"),
              ElementsAre("its MAC is not that of this fleet's key"));
  EXPECT_THAT(refused(kKey, to_remote_bytes({entry("a")}, ""), "secret"), ElementsAre("it has no MAC"));
  Artifact moved = deserialize(authenticated).value();
  moved.parts[0].name = sha256_hex("b");
  EXPECT_THAT(refused(kKey, serialize(moved), "secret"), ElementsAre("its MAC is not that of this fleet's key"));
  Artifact changed = deserialize(authenticated).value();
  changed.parts[0].content.back() = '!';
  EXPECT_THAT(refused(kKey, serialize(changed), "secret"), ElementsAre("its MAC is not that of this fleet's key"));
}

// A MAC covers one key, one state and one content; no field may include a part of the next.
TEST(RemoteValueTest, MacHasFixedFieldBoundaries) {
  const std::string inner = serialize(Artifact{{{"artifact", "other"}}});
  const PackedEntry outer{kKey, sha256_hex("a"), {{"manifest.json", "\n" + inner}}};
  Artifact moved = deserialize(to_remote_bytes({outer}, "secret")).value();
  std::string& content = moved.parts.at(0).content;
  const std::size_t mac_size = 64, split = content.find("\n" + inner);
  ASSERT_TRUE(content.ends_with("\n" + inner)) << "else the inner one is not a content";
  moved.parts.at(0).name += "\n" + content.substr(mac_size, split - mac_size);
  content.erase(mac_size, split + 1 - mac_size);
  const RemoteValue value = read_remote_bytes(kKey, serialize(moved), "secret");
  EXPECT_THAT(value.entries, IsEmpty());
  EXPECT_THAT(value.refused, ElementsAre("its state is not a SHA-256 digest"));
}

TEST(RemoteValueTest, KeepsValidEntriesAmongInvalidOnes) {
  Artifact mixed = deserialize(to_remote_bytes({entry("a"), entry("b"), entry("c")}, "secret")).value();
  mixed.parts[1].content[3] = 'x';
  mixed.parts[2].content = "short";
  const RemoteValue value = read_remote_bytes(kKey, serialize(mixed), "secret");
  EXPECT_THAT(states(value), ElementsAre(sha256_hex("a")));
  EXPECT_THAT(value.refused, ElementsAre("its MAC is not that of this fleet's key", "it is truncated"));
}

TEST(RemoteValueTest, RejectsMalformedBytesWithReason) {
  for (const char* bytes : {"", "x", "kmuxart\n", "kmuxart\n\x01"}) {
    const RemoteValue value = read_remote_bytes(kKey, bytes, "");
    EXPECT_THAT(value.entries, IsEmpty());
    EXPECT_EQ(value.refused.size(), 1U) << bytes;
  }
  Artifact inner_garbage;
  inner_garbage.set(sha256_hex("a"), std::string(64, '-') + "garbage");
  EXPECT_EQ(read_remote_bytes(kKey, serialize(inner_garbage), "").refused.size(), 1U);
}

}  // namespace
}  // namespace kmux
