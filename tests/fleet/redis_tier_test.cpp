// What our client does with a server that works, and with the ones that do not.
#include "cache/remote/redis_tier.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sha256.h"

#include "fleet/hostile_server.h"
#include "fleet/redis_server.h"
#include "fleet/throttled_proxy.h"

namespace kmux {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

const std::string kName = sha256_hex("name");

class RedisTierTest : public testing::Test {
 protected:
  static RedisTier tier_of(const RemoteAddress& address) {
    return RedisTier({.address = address, .timeout = milliseconds(5000)});
  }
  RedisTier patient() const { return tier_of(server_.address()); }
  RedisTier hasty() const { return RedisTier({.address = server_.address(), .timeout = milliseconds(50)}); }
  std::string name() const { return "kmux:1:" + kName; }

  RedisServer server_;
};

TEST_F(RedisTierTest, ReturnsStoredValues) {
  RedisTier tier = patient();
  EXPECT_FALSE(tier.get(kName).value());
  const std::string value("a\0b\r\n\xff", 6);
  ASSERT_TRUE(tier.put(kName, value).ok());
  EXPECT_EQ(tier.get(kName).value(), value);
  EXPECT_EQ(server_.ask({"GET", name()}).text, value);
  ASSERT_TRUE(tier.put(kName, std::string(5 << 20, 'x')).ok());
  EXPECT_EQ(tier.get(kName).value(), std::string(5 << 20, 'x'));
}

TEST_F(RedisTierTest, StoresValuesWithExpiration) {
  RedisTier tier({.address = server_.address(), .keep = seconds(1000), .timeout = milliseconds(5000)});
  ASSERT_TRUE(tier.put(kName, "value").ok());
  const long long left = server_.ask({"TTL", name()}).integer;
  EXPECT_TRUE(left > 900 && left <= 1000) << left;
}

TEST_F(RedisTierTest, LeaseBelongsToHolderUntilReleased) {
  RedisTier tier = patient();
  EXPECT_TRUE(tier.lease(kName, "a", seconds(100)).value());
  EXPECT_FALSE(tier.lease(kName, "b", seconds(100)).value());
  EXPECT_TRUE(tier.release(kName, "b").ok());
  EXPECT_FALSE(tier.lease(kName, "b", seconds(100)).value()) << "only its holder releases it";
  EXPECT_TRUE(tier.release(kName, "a").ok());
  EXPECT_TRUE(tier.lease(kName, "b", seconds(100)).value());
}

TEST_F(RedisTierTest, LeaseExpiresUnlessRenewed) {
  RedisTier tier = patient();
  ASSERT_TRUE(tier.lease(kName, "a", seconds(100)).value());
  ASSERT_TRUE(tier.lease(kName, "a", seconds(1000)).value());
  EXPECT_GT(server_.ask({"PTTL", name() + ":lease"}).integer, 900'000);
  ASSERT_TRUE(tier.lease(kName, "a", milliseconds(1)).value());
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(tier.lease(kName, "b", seconds(100)).value());
}

TEST_F(RedisTierTest, ConnectsThroughUnixSocket) {
  RedisTier tier = tier_of(server_.socket_address());
  ASSERT_TRUE(tier.put(kName, "value").ok());
  EXPECT_EQ(patient().get(kName).value(), "value");
}

TEST_F(RedisTierTest, UsesNamedDatabase) {
  RemoteAddress address = server_.address();
  address.database = 3;
  ASSERT_TRUE(tier_of(address).put(kName, "value").ok());
  EXPECT_FALSE(patient().get(kName).value());
  EXPECT_EQ(tier_of(address).count_names().value(), 1);
  address.database = 999;
  EXPECT_THAT(tier_of(address).get(kName).error().message, HasSubstr("it refuses the database, \"ERR\""));
}

TEST_F(RedisTierTest, ReconnectsAfterServerRestart) {
  RedisTier tier = patient();
  ASSERT_TRUE(tier.put(kName, "value").ok());
  server_.kill();
  server_.start();
  EXPECT_FALSE(tier.get(kName).value());
  EXPECT_TRUE(tier.put(kName, "value").ok());
}

TEST_F(RedisTierTest, DeadServerIsUnavailable) {
  RedisTier tier = patient();
  ASSERT_TRUE(tier.put(kName, "value").ok());
  server_.kill();
  EXPECT_EQ(tier.get(kName).error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(tier.get(kName).error().message, HasSubstr("Connection refused"));
  EXPECT_EQ(tier.put(kName, std::string(1 << 20, 'x')).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(tier_of(server_.socket_address()).get(kName).error().code, ErrorCode::kUnavailable);
}

TEST_F(RedisTierTest, UnresponsiveServerIsUnavailable) {
  RedisTier tier = hasty();
  while (!tier.put(kName, "value").ok()) {  // this machine may be slow, too
  }
  server_.pause();
  EXPECT_THAT(tier.get(kName).error().message, HasSubstr("it did not answer in time"));
  EXPECT_THAT(tier.put(kName, std::string(30 << 20, 'x')).error().message, HasSubstr("it did not answer in time"));
  server_.resume();
  EXPECT_EQ(patient().get(kName).value(), "value");
}

TEST_F(RedisTierTest, LargeTransferMayExceedTimeout) {
  const std::string value(std::size_t{4} << 20, 'x');
  ASSERT_TRUE(patient().put(kName, value).ok());
  const ThrottledProxy network(server_.address(), 4'000'000);
  RedisTier tier({.address = network.address(), .timeout = milliseconds(300)});
  EXPECT_EQ(tier.get(kName).value(), value) << "which takes more than a second";
  EXPECT_TRUE(tier.put(kName, value).ok());
}

TEST_F(RedisTierTest, DistinguishesSlowFromUnresponsiveServer) {
  RedisTier tier = hasty();
  server_.pause();
  EXPECT_FALSE(tier.get(kName).error().note(kSlowStoreNote));
  server_.resume();
  ASSERT_TRUE(patient().put(kName, std::string(std::size_t{4} << 20, 'x')).ok());
  const ThrottledProxy network(server_.address(), 100'000);
  const Error slow = RedisTier({.address = network.address(), .timeout = milliseconds(300)}).get(kName).error();
  EXPECT_THAT(slow.message, HasSubstr("it did not answer in time"));
  EXPECT_TRUE(slow.note(kSlowStoreNote));
}

TEST_F(RedisTierTest, ForkedChildUsesSeparateConnection) {
  RedisTier tier = patient();
  ASSERT_TRUE(tier.put(kName, "value").ok());
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) {
      if (tier.put(kName, "child") && tier.get(kName).value()) continue;
      ::_exit(1);
    }
    ::_exit(0);
  }
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(tier.get(kName).value());  // would be mixed up with the child's
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(RedisTierTest, ThreadsDoNotMixReplies) {
  RedisTier tier = patient();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const std::string own = sha256_hex(std::to_string(t));
      for (int i = 0; i < 50; ++i) {
        const std::string value = own + std::to_string(i);
        EXPECT_TRUE(tier.put(own, value).ok());
        EXPECT_EQ(tier.get(own).value(), value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RedisTierTest, RejectsOversizedValue) {
  server_.ask({"SET", name(), std::string(kMaxRemoteBytes + (1 << 20), 'x')});
  const Error error = patient().get(kName).error();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("its reply is too large"));
}

TEST_F(RedisTierTest, ValueOfWrongTypeIsUnsupported) {
  server_.ask({"RPUSH", name(), "x"});
  const Error error = patient().get(kName).error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("it refuses, \"WRONGTYPE"));
}

TEST(RedisTierUsersTest, ChecksPasswordsWithoutRevealingThem) {
  const RedisServer server({"--requirepass", "right word"});
  RemoteAddress address = server.address();
  EXPECT_THAT(RedisTier({.address = address}).get(kName).error().message, HasSubstr("NOAUTH"));
  address.password = "wrong";
  const Error error = RedisTier({.address = address}).get(kName).error();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("it refuses the user or the password, \"WRONGPASS\""));
  EXPECT_THAT(error.explain(), Not(HasSubstr("wrong")));
  address.password = "right word";
  EXPECT_TRUE(RedisTier({.address = address}).put(kName, "value").ok());
}

TEST(RedisTierUsersTest, ReportsMissingPermissions) {
  const RedisServer server({"--user", "reader", "on", ">word", "~kmux:*", "+get", "+dbsize"});
  RemoteAddress address = server.address();
  address.user = "reader";
  address.password = "word";
  RedisTier tier({.address = address});
  EXPECT_FALSE(tier.get(kName).value());
  EXPECT_EQ(tier.put(kName, "value").error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(tier.lease(kName, "a", seconds(1)).error().message, HasSubstr("NOPERM"));
}

/// What a tier says of a server that does as `behave`.
std::string complaint_about(HostileServer::Behave behave, milliseconds timeout = milliseconds(5000)) {
  HostileServer server(std::move(behave));
  const auto answer = RedisTier({.address = server.address(), .timeout = timeout}).get(kName);
  if (answer) return "taken";
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  return answer.error().message;
}

TEST(RedisTierHostileTest, RejectsGarbageReplies) {
  for (const char* garbage : {"HTTP/1.1 400 Bad Request\r\n\r\n", "\x00\x01\x02", "$-7\r\n", "$abc\r\n", ":x\r\n",
                              "@\r\n", "$99999999999999999999\r\n"}) {
    EXPECT_NE(complaint_about(HostileServer::answers(std::string(garbage) + "\r\n"), milliseconds(200)), "taken")
        << garbage;
  }
  EXPECT_EQ(complaint_about(HostileServer::answers("HTTP/1.1\r\n")), "the answer is not a Redis reply");
}

TEST(RedisTierHostileTest, RejectsListAndIntegerReplies) {
  EXPECT_EQ(complaint_about(HostileServer::answers("*2147483647\r\n")), "the answer is not a Redis reply");
  EXPECT_EQ(complaint_about(HostileServer::answers("*1\r\n$1\r\na\r\n")), "the answer is not a Redis reply");
  EXPECT_EQ(complaint_about(HostileServer::answers(":7\r\n")), "its reply has the wrong type");
}

TEST(RedisTierHostileTest, RejectsExtraReplies) {
  EXPECT_EQ(complaint_about(HostileServer::answers("$1\r\na\r\n$1\r\nb\r\n")), "it sent more than one reply");
}

TEST(RedisTierHostileTest, RejectsEndlessReply) {
  const auto pour = [](HostileServer& server, int connection) {
    server.wait_for_bytes(connection);
    HostileServer::send(connection, "$4000000000\r\n");
    while (!server.ends() && HostileServer::send(connection, std::string(1 << 20, 'x'))) {
    }
  };
  EXPECT_EQ(complaint_about(pour), "its reply is too large");
}

TEST(RedisTierHostileTest, TricklingReplyTimesOut) {
  const auto drip = [](HostileServer& server, int connection) {
    server.wait_for_bytes(connection);
    HostileServer::send(connection, "$1000\r\n");
    while (!server.ends() && HostileServer::send(connection, "x")) std::this_thread::sleep_for(milliseconds(10));
  };
  EXPECT_EQ(complaint_about(drip, milliseconds(100)), "it did not answer in time");
}

TEST(RedisTierHostileTest, ReportsClosedConnection) {
  const auto hang_up = [](HostileServer& server, int connection) { server.wait_for_bytes(connection); };
  EXPECT_EQ(complaint_about(hang_up), "Connection reset by peer");
}

TEST(RedisTierHostileTest, RemovesControlCharactersFromErrors) {
  HostileServer server(HostileServer::answers("-ERR \x1b[31mred\r\n"));
  const Error error = RedisTier({.address = server.address()}).get(kName).error();
  EXPECT_EQ(error.message, "it refuses, \"ERR ?[31mred\"");
}

TEST(RedisTierHostileTest, OmitsPasswordFromErrors) {
  HostileServer server(HostileServer::answers("-ERR hunter2 is wrong\r\n"));
  RemoteAddress address = server.address();
  address.password = "hunter2";
  EXPECT_EQ(RedisTier({.address = address}).get(kName).error().message, "it refuses the user or the password, \"ERR\"");
  HostileServer worse(HostileServer::answers("-hunter2 is wrong\r\n"));
  address.port = worse.address().port;
  EXPECT_EQ(RedisTier({.address = address}).get(kName).error().message, "it refuses the user or the password");
}

}  // namespace
}  // namespace kmux
