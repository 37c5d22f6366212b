// A server that has something else than it was given.

#include "cache/remote/remote_value.h"
#include "fleet/remote_nodes.h"

namespace kmux {
namespace {

using testing::HasSubstr;

class RemoteDamageTest : public RemoteNodes {};

TEST_F(RemoteDamageTest, FlippedBitIsMissAndEntryIsReplaced) {
  EXPECT_TRUE(makes(node("one")));
  const std::string good = value();
  for (std::size_t at = 0; at < good.size(); at += 37) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    set_value(bad);
    const std::string name = "flip" + std::to_string(at);
    EXPECT_TRUE(makes(node(name))) << "taken with a wrong byte at " << at;
    EXPECT_FALSE(makes(node(name + "again"))) << "a good one is there again";
  }
  EXPECT_THAT(log(), HasSubstr("of the remote cache 'redis://test' is not used ("));
}

TEST_F(RemoteDamageTest, TruncatedValueIsMiss) {
  EXPECT_TRUE(makes(node("one")));
  const std::string good = value();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{50}, good.size() / 2, good.size() - 1}) {
    set_value(good.substr(0, size));
    EXPECT_TRUE(makes(node("cut" + std::to_string(size)))) << size;
  }
}

TEST_F(RemoteDamageTest, ValueOfAnotherKeyIsMiss) {
  const CacheKey other{sha256_hex("b")};
  const auto one = node("one");
  one->publish(other, CacheEntry{.artifact = {}, .launcher = "another"}, file_time_now());
  one->flush();
  set_value(server_.ask({"GET", "kmux:1:" + other.digest}).text);
  EXPECT_TRUE(makes(node("two")));
  EXPECT_THAT(log(), HasSubstr("its manifest is of another key"));
}

TEST_F(RemoteDamageTest, EntryWithWrongStateDigestIsMiss) {
  EXPECT_TRUE(makes(node("one")));
  RemoteValue held = read_remote_bytes(key_.digest, value(), "");
  held.entries.at(0).second = sha256_hex("other headers");
  set_value(to_remote_bytes(held.entries, ""));
  EXPECT_TRUE(makes(node("two")));
  EXPECT_THAT(log(), HasSubstr("its dependencies are of another key"));
}

// Even of a node that has the key.
TEST_F(RemoteDamageTest, ArtifactDigestMismatchIsMiss) {
  for (const char* secret : {"", "the fleet's own key"}) {
    secret_ = secret;
    const std::string name = "liar" + std::string(secret);
    EXPECT_TRUE(makes(node(name)));
    RemoteValue held = read_remote_bytes(key_.digest, value(), secret_);
    Artifact other = deserialize(held.entries.at(0).files.at("artifact")).value();
    other.set("code", std::string(1000, 'x'));
    held.entries.at(0).files["artifact"] = serialize(other);
    set_value(to_remote_bytes(held.entries, secret_));
    EXPECT_TRUE(makes(node(name + " told")));
    server_.ask({"DEL", name_});
  }
  EXPECT_THAT(log(), HasSubstr("is not used (artifact differs from its SHA-256)"));
}

TEST_F(RemoteDamageTest, OversizedValueIsMiss) {
  set_value(std::string(kMaxRemoteBytes + (1 << 20), 'x'));
  EXPECT_TRUE(makes(node("one")));
  EXPECT_THAT(log(), HasSubstr("its reply is too large"));
}

TEST_F(RemoteDamageTest, OversizedArtifactStaysLocal) {
  const auto cache = node("one");
  CacheEntry large = entry();
  large.artifact.set("more", std::string(kMaxRemoteBytes, 'x'));
  cache->publish(key_, std::move(large), file_time_now());
  cache->flush();
  EXPECT_EQ(cache->list().size(), 1U);
  EXPECT_EQ(server_.ask({"DBSIZE"}).integer, 0);
  EXPECT_THAT(log(), HasSubstr("is not put into the remote cache 'redis://test' (it has more than 32 MiB)"));
}

TEST_F(RemoteDamageTest, RequiresValidMacWhenKeyIsSet) {
  EXPECT_TRUE(makes(node("without")));
  secret_ = "the fleet's own key";
  EXPECT_TRUE(makes(node("one")));
  EXPECT_THAT(log(), HasSubstr("is not used (it has no MAC)"));
  EXPECT_FALSE(makes(node("two")));
  secret_ = "a key of somebody else";
  EXPECT_TRUE(makes(node("three")));
  EXPECT_THAT(log(), HasSubstr("is not used (its MAC is not that of this fleet's key)"));
}

// L10: what is on a disk was once taken from whom it came.
TEST_F(RemoteDamageTest, EntryFetchedWithoutKeyIsMissOnceKeyIsSet) {
  EXPECT_TRUE(makes(node("one")));
  EXPECT_FALSE(makes(node("two")));
  EXPECT_FALSE(makes(node("two")));
  const auto alone = ArtifactCache::open({.folder = temp_.path() / "two"}).value();
  EXPECT_EQ(alone->list().size(), 1U);
  EXPECT_TRUE(alone->find(key_)) << "without a server it is what this disk had";
  secret_ = "the fleet's own key";
  EXPECT_TRUE(makes(node("two")));
  EXPECT_FALSE(makes(node("two")));
  EXPECT_TRUE(alone->find(key_)) << "what was made is kept as ever";
  EXPECT_FALSE(makes(node("one"))) << "and so is what was made before";
  alone->forget(key_);
  EXPECT_EQ(alone->list().size(), 0U);
}

TEST_F(RemoteDamageTest, RejectsPoisonedEntryWithValidDigests) {
  secret_ = "the fleet's own key";
  EXPECT_TRUE(makes(node("one")));
  const std::string mac = deserialize(value()).value().parts.at(0).content.substr(0, 64);
  CacheEntry poison = entry();
  poison.launcher = "poison";
  const std::string poisoned = to_remote_bytes({pack_entry(key_, poison, file_time_now()).value()}, "");
  set_value(poisoned);
  EXPECT_TRUE(makes(node("two")));
  Artifact with_mac = deserialize(poisoned).value();  // that of the good one
  with_mac.parts.at(0).content.replace(0, 64, mac);
  set_value(serialize(with_mac));
  EXPECT_TRUE(makes(node("three")));
  EXPECT_THAT(log(), HasSubstr("its MAC is not that of this fleet's key"));
}

TEST_F(RemoteDamageTest, MacOfAnotherCacheKeyIsRejected) {
  secret_ = "the fleet's own key";
  const CacheKey other{sha256_hex("b")};
  const auto one = node("one");
  one->publish(other, entry(), file_time_now());
  one->flush();
  set_value(server_.ask({"GET", "kmux:1:" + other.digest}).text);
  EXPECT_TRUE(makes(node("two")));
  EXPECT_THAT(log(), HasSubstr("its MAC is not that of this fleet's key"));
}

}  // namespace
}  // namespace kmux
