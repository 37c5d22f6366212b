#include "cache/remote/remote_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::HasSubstr;
using testing::Not;

RemoteAddress parsed(const std::string& text) { return parse_remote_address(text).value(); }

std::string address_refusal(const std::string& text) {
  const auto address = parse_remote_address(text);
  if (address) return "taken";
  EXPECT_EQ(address.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(address.error().message, HasSubstr("Write redis://"));
  return address.error().message;
}

TEST(RemoteAddressTest, ParsesServerUrl) {
  const RemoteAddress plain = parsed("redis://cache.example");
  EXPECT_EQ(plain.host, "cache.example");
  EXPECT_EQ(plain.port, 6379);
  EXPECT_EQ(plain.database, 0);
  EXPECT_EQ(plain.user + plain.password + plain.socket, "");
  const RemoteAddress full = parsed("redis://kmux:p%40ss%2Fword@10.0.0.1:7000/3");
  EXPECT_EQ(full.host, "10.0.0.1");
  EXPECT_EQ(full.port, 7000);
  EXPECT_EQ(full.database, 3);
  EXPECT_EQ(full.user, "kmux");
  EXPECT_EQ(full.password, "p@ss/word");
  EXPECT_EQ(parsed("redis://:word@host/").password, "word");
  EXPECT_EQ(parsed("redis://[::1]:7000").host, "::1");
}

TEST(RemoteAddressTest, ParsesUnixSocketUrl) {
  EXPECT_EQ(parsed("redis+unix:///run/redis/redis.sock").socket, "/run/redis/redis.sock");
  const RemoteAddress full = parsed("redis+unix://:word@/run/a%20b.sock");
  EXPECT_EQ(full.socket, "/run/a b.sock");
  EXPECT_EQ(full.password, "word");
}

TEST(RemoteAddressTest, AcceptsOnlyUnauthenticatedQuery) {
  EXPECT_FALSE(parsed("redis://host").unauthenticated);
  EXPECT_TRUE(parsed("redis://:word@host/2?unauthenticated=1").unauthenticated);
  EXPECT_TRUE(parsed("redis+unix:///run/a.sock?unauthenticated=1").unauthenticated);
  for (const char* query : {"unauthenticated", "unauthenticated=0", "unauthenticated=true", "UNAUTHENTICATED=1",
                            "unauthenticated=1&db=2", ""}) {
    EXPECT_THAT(address_refusal(std::string("redis://host?") + query), HasSubstr("perhaps ?unauthenticated=1"))
        << query;
  }
}

TEST(RemoteAddressTest, ReportsReasonForInvalidUrl) {
  EXPECT_THAT(address_refusal("not a url"), HasSubstr("it is not a URL"));
  EXPECT_THAT(address_refusal(""), HasSubstr("it is not a URL"));
  EXPECT_THAT(address_refusal("rediss://host"), HasSubstr("begins neither with redis://"));
  EXPECT_THAT(address_refusal("redis://"), HasSubstr("names no host"));
  EXPECT_THAT(address_refusal("redis://host:99999"), HasSubstr("its port is not a number from 1 to 65535"));
  EXPECT_THAT(address_refusal("redis://host:0"), HasSubstr("its port is not a number from 1 to 65535"));
  EXPECT_THAT(address_refusal("redis://host/one"), HasSubstr("not a database number"));
  EXPECT_THAT(address_refusal("redis://host/1/2"), HasSubstr("not a database number"));
  EXPECT_THAT(address_refusal("redis://host?db=1"), HasSubstr("more than an address"));
  EXPECT_THAT(address_refusal("redis://host#x"), HasSubstr("more than an address"));
  EXPECT_THAT(address_refusal("redis://user@host"), HasSubstr("a user without a password"));
  EXPECT_THAT(address_refusal("redis://a%00b"), HasSubstr("a zero byte"));
  EXPECT_THAT(address_refusal("redis+unix://host/path"), HasSubstr("has no host"));
  EXPECT_THAT(address_refusal("redis+unix:path"), HasSubstr("is not absolute"));
  EXPECT_THAT(address_refusal("redis+unix:///" + std::string(200, 'x')), HasSubstr("is too long"));
}

TEST(RemoteAddressTest, NeverPrintsPassword) {
  for (const char* text : {"redis://u:hunter2@host:99999", "rediss://u:hunter2@host", "redis://u:hunter2@ho st"}) {
    EXPECT_THAT(address_refusal(text), Not(HasSubstr("hunter2")));
  }
  EXPECT_EQ(to_string(parsed("redis://u:hunter2@host/2")), "redis://host:6379/2");
  EXPECT_EQ(to_string(parsed("redis://:hunter2@[::1]")), "redis://[::1]:6379/0");
  EXPECT_EQ(to_string(parsed("redis+unix://:hunter2@/run/a.sock")), "redis+unix:///run/a.sock");
}

}  // namespace
}  // namespace kmux
