// The cache of a node whose disk has nothing, beside a server that has it, lost it, or lies.
#include "cache/remote_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/dependencies.h"
#include "kmux/sha256.h"

#include "cache/artifact_cache.h"
#include "cache/redis_tier.h"
#include "cache/remote_value.h"
#include "fleet/hostile_server.h"
#include "fleet/redis_server.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const CacheKey kKey{sha256_hex("a"), Json::Object{{"name", "a"}}};
const std::string kName = "kmux:1:" + kKey.digest;

class RemoteCacheTest : public testing::Test {
 protected:
  RemoteOptions remote(milliseconds timeout = seconds(10)) const {
    return {.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = server_.address(), .timeout = timeout}),
            .name = "redis://test",
            .secret = secret_,
            .rest = rest_};
  }
  /// A node of the fleet: a cache folder of its own.
  std::shared_ptr<ArtifactCache> node(const std::string& name, std::optional<RemoteOptions> options = {}) {
    CacheOptions cache{.folder = temp_.path() / name, .lock_folder = temp_.path() / (name + ".locks")};
    cache.lock_timeout = seconds(50);
    cache.remote = options ? std::move(options) : remote();
    cache.log = [this](const std::string& text) {
      const std::lock_guard guard(mutex_);
      log_.push_back(text);
    };
    return ArtifactCache::open(std::move(cache)).value();
  }
  CacheEntry entry() const {
    CacheEntry entry;
    entry.artifact.set("code", std::string(1000, 'c') + header_);
    if (!header_.empty()) entry.artifact.set(std::string(kDependenciesPart), to_json(dependencies_));
    entry.launcher = "launcher";
    return entry;
  }
  /// Does the node make the entry?
  bool makes(const std::shared_ptr<ArtifactCache>& cache) {
    bool made = false;
    const auto found = cache->find_or_make(kKey, [&] { return made = true, entry(); });
    EXPECT_TRUE(found.ok());
    EXPECT_EQ(found->artifact.find("code")->substr(0, 1000), std::string(1000, 'c'));
    EXPECT_EQ(found->launcher, "launcher");
    cache->flush();
    return made;
  }
  std::string value() const { return server_.ask({"GET", kName}).text; }
  void set_value(const std::string& bytes) const { server_.ask({"SET", kName, bytes}); }
  std::string log() const {
    std::string all;
    for (const std::string& line : log_) all += line + "\n";
    return all;
  }
  /// A header that was written long ago, with one time whatever it says.
  void write_header(const std::string& content) {
    header_ = content;
    const fs::path file = temp_.write("h/a.h", content);
    const timespec times[] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    ::utimensat(AT_FDCWD, file.c_str(), times, 0);
    dependencies_ = {{file}, {(temp_.path() / "h/b.h").string()}};
    std::this_thread::sleep_for(milliseconds(30));  // a header of this very moment is not known to be what was built
  }

  RedisServer server_;
  TempFolder temp_{memory_folder()};
  std::string secret_;
  milliseconds rest_{seconds(100)};
  std::string header_;
  Dependencies dependencies_;
  std::mutex mutex_;
  std::vector<std::string> log_;
};

TEST_F(RemoteCacheTest, WhatOneNodeMadeAnotherTakesAndKeeps) {
  EXPECT_TRUE(makes(node("one")));
  const auto two = node("two");
  EXPECT_FALSE(makes(two));
  EXPECT_EQ(two->list().size(), 1U);
  server_.kill();
  EXPECT_FALSE(makes(node("two"))) << "it is on its disk now";
  EXPECT_EQ(log(), "");
}

TEST_F(RemoteCacheTest, FindsWithoutMaking) {
  EXPECT_FALSE(node("one")->find(kKey));
  EXPECT_TRUE(makes(node("one")));
  const auto two = node("two");
  EXPECT_EQ(two->find(kKey)->launcher, "launcher");
  two->flush();
  EXPECT_EQ(two->list().size(), 1U);
}

TEST_F(RemoteCacheTest, WhatWasBuiltElsewhereIsSharedToo) {
  const auto one = node("one");
  one->publish(kKey, entry(), file_time_now());
  one->flush();
  EXPECT_FALSE(makes(node("two")));
}

TEST_F(RemoteCacheTest, UnsupportedIsSharedAndOtherErrorsAreNot) {
  int makes = 0;
  const auto refuse = [&](ErrorCode code) {
    return [&makes, code] { return ++makes, Result<CacheEntry>(make_error(code, "no").with("log", "why")); };
  };
  for (const char* name : {"one", "two"}) {
    const auto cache = node(name);
    EXPECT_EQ(cache->find_or_make(kKey, refuse(ErrorCode::kCompileFailed)).error().code, ErrorCode::kCompileFailed);
  }
  EXPECT_EQ(makes, 2) << "the lease of a build that failed is free at once";
  for (const char* name : {"one", "two"}) {
    const auto cache = node(name);
    const Error error = cache->find_or_make(kKey, refuse(ErrorCode::kUnsupported)).error();
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_EQ(error.note("log"), "why");
    cache->flush();
  }
  EXPECT_EQ(makes, 3);
}

TEST_F(RemoteCacheTest, NeedsNoFolderThatCanBeWrittenTo) {
  for (const bool made : {true, false}) {
    const auto cache = node(temp_.write("file", "").filename().string() + "/cache");
    EXPECT_TRUE(cache->why_read_only());
    EXPECT_EQ(makes(cache), made);
  }
}

TEST_F(RemoteCacheTest, AReaderGivesNothing) {
  RemoteOptions reader = remote();
  reader.read_only = true;
  EXPECT_TRUE(makes(node("reader", reader)));
  EXPECT_EQ(server_.ask({"DBSIZE"}).integer, 0);
  EXPECT_TRUE(makes(node("one")));
  EXPECT_FALSE(makes(node("another reader", reader)));
}

TEST_F(RemoteCacheTest, LeavesNoLeaseBehind) {
  EXPECT_TRUE(makes(node("one")));
  EXPECT_EQ(server_.ask({"DBSIZE"}).integer, 1);
  EXPECT_EQ(server_.ask({"EXISTS", kName + ":lease"}).integer, 0);
}

// Headers

TEST_F(RemoteCacheTest, AnEntryOfOtherHeadersIsAMissAndBothAreKept) {
  write_header("1");
  EXPECT_TRUE(makes(node("one")));
  EXPECT_FALSE(makes(node("two")));
  write_header("2");  // of the same size and time: what counts is its content
  EXPECT_TRUE(makes(node("three")));
  EXPECT_FALSE(makes(node("four")));
  write_header("1");
  EXPECT_FALSE(makes(node("five")));
  EXPECT_EQ(log(), "");
}

TEST_F(RemoteCacheTest, ACandidateThatIsHereIsAMiss) {
  write_header("1");
  EXPECT_TRUE(makes(node("one")));
  temp_.write("h/b.h", "shadows a.h");
  dependencies_.absent.clear();
  EXPECT_TRUE(makes(node("two")));
}

TEST_F(RemoteCacheTest, AFewStatesAreKept) {
  for (int i = 0; i < 6; ++i) {
    write_header(std::to_string(i));
    EXPECT_TRUE(makes(node("node" + std::to_string(i))));
  }
  const RemoteValue kept = read_remote_bytes(kKey.digest, value(), "");
  EXPECT_EQ(kept.entries.size(), kMostRemoteEntries);
  EXPECT_FALSE(makes(node("last")));
}

// Damage

TEST_F(RemoteCacheTest, AFlippedBitIsAMissAndIsReplaced) {
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

TEST_F(RemoteCacheTest, TruncationIsAMiss) {
  EXPECT_TRUE(makes(node("one")));
  const std::string good = value();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{50}, good.size() / 2, good.size() - 1}) {
    set_value(good.substr(0, size));
    EXPECT_TRUE(makes(node("cut" + std::to_string(size)))) << size;
  }
}

TEST_F(RemoteCacheTest, TheValueOfAnotherKeyIsAMiss) {
  const CacheKey other{sha256_hex("b")};
  const auto one = node("one");
  one->publish(other, CacheEntry{.artifact = {}, .launcher = "another"}, file_time_now());
  one->flush();
  set_value(server_.ask({"GET", "kmux:1:" + other.digest}).text);
  EXPECT_TRUE(makes(node("two")));
  EXPECT_THAT(log(), HasSubstr("its manifest is of another key"));
}

TEST_F(RemoteCacheTest, AnEntryUnderAnotherStateIsAMiss) {
  EXPECT_TRUE(makes(node("one")));
  RemoteValue held = read_remote_bytes(kKey.digest, value(), "");
  held.entries.at(0).second = sha256_hex("other headers");
  set_value(to_remote_bytes(held.entries, ""));
  EXPECT_TRUE(makes(node("two")));
  EXPECT_THAT(log(), HasSubstr("its dependencies are of another key"));
}

TEST_F(RemoteCacheTest, AValueThatIsTooLargeIsAMiss) {
  set_value(std::string(kMostRemoteBytes + (1 << 20), 'x'));
  EXPECT_TRUE(makes(node("one")));
  EXPECT_THAT(log(), HasSubstr("its reply is too large"));
}

TEST_F(RemoteCacheTest, AnArtifactThatIsTooLargeStaysHere) {
  const auto cache = node("one");
  CacheEntry large = entry();
  large.artifact.set("more", std::string(kMostRemoteBytes, 'x'));
  cache->publish(kKey, std::move(large), file_time_now());
  cache->flush();
  EXPECT_EQ(cache->list().size(), 1U);
  EXPECT_EQ(server_.ask({"DBSIZE"}).integer, 0);
  EXPECT_THAT(log(), HasSubstr("is not put into the remote cache 'redis://test' (it has more than 32 MiB)"));
}

// Seals

TEST_F(RemoteCacheTest, WithAKeyOnlyWhatIsSealedIsTaken) {
  EXPECT_TRUE(makes(node("without")));
  secret_ = "the fleet's own key";
  EXPECT_TRUE(makes(node("one")));
  EXPECT_THAT(log(), HasSubstr("is not used (it has no seal)"));
  EXPECT_FALSE(makes(node("two")));
  secret_ = "a key of somebody else";
  EXPECT_TRUE(makes(node("three")));
  EXPECT_THAT(log(), HasSubstr("is not used (its seal is not that of this fleet's key)"));
}

TEST_F(RemoteCacheTest, APoisonedEntryIsNotRunWhateverItsDigestsSay) {
  secret_ = "the fleet's own key";
  EXPECT_TRUE(makes(node("one")));
  const std::string seal = deserialize(value()).value().parts.at(0).content.substr(0, 64);
  CacheEntry poison = entry();
  poison.launcher = "poison";
  const std::string poisoned = to_remote_bytes({pack_entry(kKey, poison, file_time_now()).value()}, "");
  set_value(poisoned);
  EXPECT_TRUE(makes(node("two")));
  Artifact with_seal = deserialize(poisoned).value();  // that of the good one
  with_seal.parts.at(0).content.replace(0, 64, seal);
  set_value(serialize(with_seal));
  EXPECT_TRUE(makes(node("three")));
  EXPECT_THAT(log(), HasSubstr("its seal is not that of this fleet's key"));
}

TEST_F(RemoteCacheTest, ASealIsOfOneKeyAlone) {
  secret_ = "the fleet's own key";
  const CacheKey other{sha256_hex("b")};
  const auto one = node("one");
  one->publish(other, entry(), file_time_now());
  one->flush();
  set_value(server_.ask({"GET", "kmux:1:" + other.digest}).text);
  EXPECT_TRUE(makes(node("two")));
  EXPECT_THAT(log(), HasSubstr("its seal is not that of this fleet's key"));
}

// Servers that fail

TEST_F(RemoteCacheTest, ADeadServerCostsOneWarning) {
  server_.kill();
  const auto cache = node("one");
  EXPECT_TRUE(makes(cache));
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(cache->find_or_make({sha256_hex(std::to_string(i))}, [&] { return entry(); }).ok());
  }
  cache->flush();
  EXPECT_EQ(cache->list().size(), 11U);
  ASSERT_EQ(log_.size(), 1U) << log();
  EXPECT_EQ(log_[0],
            "the remote cache 'redis://test' is not used for 100 s (Connection refused). Builds go on without "
            "it; check the server.");
}

TEST_F(RemoteCacheTest, AServerThatIsKilledDuringABuildCostsOneWarning) {
  const auto cache = node("one");
  const auto made = cache->find_or_make(kKey, [&] { return server_.kill(), entry(); });
  EXPECT_TRUE(made.ok());
  cache->flush();
  EXPECT_EQ(cache->list().size(), 1U);
  EXPECT_EQ(log_.size(), 1U) << log();
}

TEST_F(RemoteCacheTest, ASlowServerCostsOneTimeOutAndOneWarning) {
  server_.pause();
  const auto cache = node("one", remote(milliseconds(100)));
  EXPECT_TRUE(makes(cache));
  EXPECT_EQ(log_.size(), 1U) << log();
  EXPECT_THAT(log(), HasSubstr("it did not answer in time"));
  server_.resume();
}

TEST_F(RemoteCacheTest, AServerThatIsBackIsAskedAgain) {
  rest_ = milliseconds(50);
  const auto cache = node("one");
  server_.kill();
  EXPECT_TRUE(makes(cache));
  server_.start();
  std::this_thread::sleep_for(milliseconds(60));
  cache->publish(kKey, entry(), file_time_now());
  cache->flush();
  EXPECT_FALSE(makes(node("two")));
}

TEST_F(RemoteCacheTest, AServerThatAnswersGarbageCostsOneWarning) {
  HostileServer hostile(HostileServer::answers("HTTP/1.1 400 Bad Request\r\n"));
  RemoteOptions options = remote();
  options.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = hostile.address()});
  const auto cache = node("one", options);
  EXPECT_TRUE(makes(cache));
  EXPECT_EQ(log_.size(), 1U) << log();
  EXPECT_EQ(hostile.connections(), 1);
}

TEST_F(RemoteCacheTest, AWrongPasswordCostsOneWarning) {
  server_.ask({"CONFIG", "SET", "requirepass", "right"});
  RemoteAddress address = server_.address();
  address.password = "wrong";
  RemoteOptions options = remote();
  options.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = address});
  const auto cache = node("one", options);
  EXPECT_TRUE(makes(cache));
  ASSERT_EQ(log_.size(), 1U) << log();
  EXPECT_THAT(log_[0], HasSubstr("it refuses the user or the password"));
}

TEST_F(RemoteCacheTest, LeasesThatNeverEndCostOneWaitAndOneWarning) {
  RemoteCache cache(remote(), [this](const std::string& text) { log_.push_back(text); });
  const std::string second = sha256_hex("second");
  for (const std::string& key : {kKey.digest, second}) server_.ask({"SET", "kmux:1:" + key + ":lease", "a liar"});
  const RemoteCache::Turn vain = cache.take_turn(kKey.digest, milliseconds(50));
  EXPECT_FALSE(vain.entry || vain.lease);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_[0], HasSubstr("for too long. This one makes it, too"));
  const RemoteCache::Turn next = cache.take_turn(second, std::chrono::hours(1));  // else this test takes an hour
  EXPECT_FALSE(next.entry || next.lease);
  EXPECT_TRUE(cache.take_turn(sha256_hex("free"), milliseconds(50)).lease) << "a free lease is taken all the same";
  EXPECT_EQ(log_.size(), 1U);
}

TEST_F(RemoteCacheTest, TheUserOfThePageHasTheRightsItNeeds) {
  const RedisServer server({"--user", "default", "off", "--user", "kmux", "on", ">WORD", "~kmux:*", "+get", "+set",
                            "+del", "+pexpire", "+eval", "+dbsize", "+auth", "+select"});
  RemoteAddress address = server.address();
  address.user = "kmux";
  address.password = "WORD";
  RemoteOptions options = remote();
  const auto tier = std::make_shared<RedisTier>(RedisTier::Options{.address = address, .timeout = seconds(10)});
  options.tier = tier;
  EXPECT_TRUE(makes(node("one", options)));
  EXPECT_FALSE(makes(node("two", options)));
  EXPECT_EQ(tier->count_names().value(), 1) << "the lease is back";
  EXPECT_EQ(log(), "");
}

TEST_F(RemoteCacheTest, AUserWhoMayOnlyReadStillReads) {
  EXPECT_TRUE(makes(node("one")));
  server_.ask({"ACL", "SETUSER", "default", "-set", "-eval"});
  const auto two = node("two");
  EXPECT_TRUE(two->find_or_make({sha256_hex("b")}, [&] { return entry(); }).ok());
  two->flush();
  EXPECT_FALSE(makes(two));
  ASSERT_EQ(log_.size(), 1U) << log();
  EXPECT_THAT(log_[0], HasSubstr("NOPERM"));
}

}  // namespace
}  // namespace kmux
