// What a node whose disk has nothing takes from the server, and what it gives.
#include "cache/remote/remote_cache.h"

#include "cache/remote/remote_value.h"
#include "fleet/remote_nodes.h"

namespace kmux {
namespace {

class RemoteCacheTest : public RemoteNodes {};

TEST_F(RemoteCacheTest, CachesFetchedEntriesOnDisk) {
  EXPECT_TRUE(makes(node("one")));
  const auto two = node("two");
  EXPECT_FALSE(makes(two));
  EXPECT_EQ(two->list().size(), 1U);
  server_.kill();
  EXPECT_FALSE(makes(node("two"))) << "it is on its disk now";
  EXPECT_EQ(log(), "");
}

TEST_F(RemoteCacheTest, FindReturnsRemoteEntry) {
  EXPECT_FALSE(node("one")->find(key_));
  EXPECT_TRUE(makes(node("one")));
  const auto two = node("two");
  EXPECT_EQ(two->find(key_)->launcher, "launcher");
  two->flush();
  EXPECT_EQ(two->list().size(), 1U);
}

TEST_F(RemoteCacheTest, SharesPublishedEntries) {
  const auto one = node("one");
  one->publish(key_, entry(), file_time_now());
  one->flush();
  EXPECT_FALSE(makes(node("two")));
}

TEST_F(RemoteCacheTest, SharesOnlyUnsupportedErrors) {
  int makes = 0;
  const auto refuse = [&](ErrorCode code) {
    return [&makes, code] { return ++makes, Result<CacheEntry>(make_error(code, "no").with("log", "why")); };
  };
  for (const char* name : {"one", "two"}) {
    const auto cache = node(name);
    EXPECT_EQ(cache->find_or_make(key_, refuse(ErrorCode::kCompileFailed)).error().code, ErrorCode::kCompileFailed);
  }
  EXPECT_EQ(makes, 2) << "the lease of a build that failed is free at once";
  for (const char* name : {"one", "two"}) {
    const auto cache = node(name);
    const Error error = cache->find_or_make(key_, refuse(ErrorCode::kUnsupported)).error();
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_EQ(error.note("log"), "why");
    cache->flush();
  }
  EXPECT_EQ(makes, 3);
}

TEST_F(RemoteCacheTest, WorksWithoutWritableFolder) {
  for (const bool made : {true, false}) {
    const auto cache = node(temp_.write("file", "").filename().string() + "/cache");
    EXPECT_TRUE(cache->why_read_only());
    EXPECT_EQ(makes(cache), made);
  }
}

TEST_F(RemoteCacheTest, ReadOnlyNodePublishesNothing) {
  RemoteOptions reader = remote();
  reader.read_only = true;
  EXPECT_TRUE(makes(node("reader", reader)));
  EXPECT_EQ(server_.ask({"DBSIZE"}).integer, 0);
  EXPECT_TRUE(makes(node("one")));
  EXPECT_FALSE(makes(node("another reader", reader)));
}

TEST_F(RemoteCacheTest, ReleasesLeaseAfterBuild) {
  EXPECT_TRUE(makes(node("one")));
  EXPECT_EQ(server_.ask({"DBSIZE"}).integer, 1);
  EXPECT_EQ(server_.ask({"EXISTS", name_ + ":lease"}).integer, 0);
}

// Headers

TEST_F(RemoteCacheTest, ChangedHeaderIsMissAndBothEntriesAreKept) {
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

TEST_F(RemoteCacheTest, NewShadowingHeaderIsMiss) {
  write_header("1");
  EXPECT_TRUE(makes(node("one")));
  temp_.write("h/b.h", "shadows a.h");
  dependencies_.absent.clear();
  EXPECT_TRUE(makes(node("two")));
}

TEST_F(RemoteCacheTest, LimitsHeaderStatesPerKey) {
  for (int i = 0; i < 6; ++i) {
    write_header(std::to_string(i));
    EXPECT_TRUE(makes(node("node" + std::to_string(i))));
  }
  const RemoteValue kept = read_remote_bytes(key_.digest, value(), "");
  EXPECT_EQ(kept.entries.size(), kMaxRemoteEntries);
  EXPECT_FALSE(makes(node("last")));
}

}  // namespace
}  // namespace kmux
