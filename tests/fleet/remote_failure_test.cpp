// A server that is dead, slow, or refuses: builds go on.

#include "fleet/hostile_server.h"
#include "fleet/remote_nodes.h"

namespace kmux {
namespace {

using testing::HasSubstr;

class RemoteFailureTest : public RemoteNodes {};

TEST_F(RemoteFailureTest, DeadServerCausesOneWarning) {
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

TEST_F(RemoteFailureTest, ServerKilledDuringBuildCausesOneWarning) {
  const auto cache = node("one");
  const auto made = cache->find_or_make(key_, [&] { return server_.kill(), entry(); });
  EXPECT_TRUE(made.ok());
  cache->flush();
  EXPECT_EQ(cache->list().size(), 1U);
  EXPECT_EQ(log_.size(), 1U) << log();
}

TEST_F(RemoteFailureTest, SlowServerCausesOneTimeoutAndOneWarning) {
  server_.pause();
  const auto cache = node("one", remote(milliseconds(100)));
  EXPECT_TRUE(makes(cache));
  EXPECT_EQ(log_.size(), 1U) << log();
  EXPECT_THAT(log(), HasSubstr("it did not answer in time"));
  server_.resume();
}

TEST_F(RemoteFailureTest, RecoveredServerIsUsedAgain) {
  auto now = CircuitBreaker::Clock::now();
  RemoteOptions options = remote();
  options.now = [&] { return now; };
  const auto cache = node("one", options);
  server_.kill();
  EXPECT_TRUE(makes(cache));
  server_.start();
  now += back_off_;
  cache->publish(key_, entry(), file_time_now());
  cache->flush();
  EXPECT_FALSE(makes(node("two")));
}

TEST_F(RemoteFailureTest, GarbageReplyCausesOneWarning) {
  HostileServer hostile(HostileServer::answers("HTTP/1.1 400 Bad Request\r\n"));
  RemoteOptions options = remote();
  options.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = hostile.address()});
  const auto cache = node("one", options);
  EXPECT_TRUE(makes(cache));
  EXPECT_EQ(log_.size(), 1U) << log();
  EXPECT_EQ(hostile.connections(), 1);
}

TEST_F(RemoteFailureTest, WrongPasswordCausesOneWarning) {
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

TEST_F(RemoteFailureTest, UnreleasedLeasesCauseOneWaitAndOneWarning) {
  RemoteCache cache(remote(), [this](const std::string& text) { log_.push_back(text); });
  const std::string second = sha256_hex("second");
  for (const std::string& key : {key_.digest, second}) server_.ask({"SET", "kmux:1:" + key + ":lease", "a liar"});
  const RemoteCache::Turn vain = cache.take_turn(key_.digest, milliseconds(50));
  EXPECT_FALSE(vain.entry || vain.lease);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_[0], HasSubstr("for too long. This one makes it, too"));
  const RemoteCache::Turn next = cache.take_turn(second, std::chrono::hours(1));  // else this test takes an hour
  EXPECT_FALSE(next.entry || next.lease);
  EXPECT_TRUE(cache.take_turn(sha256_hex("free"), milliseconds(50)).lease) << "a free lease is taken all the same";
  EXPECT_EQ(log_.size(), 1U);
}

TEST_F(RemoteFailureTest, DocumentedUserHasSufficientRights) {
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

TEST_F(RemoteFailureTest, ReadOnlyUserCanStillRead) {
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
