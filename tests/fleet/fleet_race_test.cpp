// Three nodes, each a process with a cache folder of its own: what the fleet makes, it makes once.
#include <signal.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/remote/redis_tier.h"
#include "cache_faults/torture_cache.h"
#include "fleet/redis_server.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;

constexpr int kNodes = 3;
constexpr int kKeys = 8;

class FleetRaceTest : public testing::Test {
 protected:
  CacheOptions node(int number) const {
    CacheOptions options = torture_options(temp_.path() / ("node" + std::to_string(number)));
    options.remote = RemoteOptions{
        .tier = std::make_shared<RedisTier>(RedisTier::Options{.address = server_.address(), .timeout = seconds(10)}),
        .name = "redis://test",
        .secret = "the key of this fleet",
        .lease_time = lease_time_,
        .renew_every = renew_every_,
        .back_off = back_off_};
    return options;
  }
  fs::path makes() const { return temp_.path() / "makes"; }
  /// Every node wants every key, each in an order of its own.
  int want_all(int number) const {
    for (int i = 0; i < kKeys; ++i) {
      const int key = (i * (2 * number + 1) + number) % kKeys;
      if (const int wrong = use_cache(node(number), key, makes()); wrong != 0) return wrong;
    }
    return 0;
  }
  /// A node that holds the lease of key 1 and makes it for ever.
  pid_t start_stuck_maker() { return kmux::start_stuck_maker(node(0), temp_.path() / "stuck"); }

  RedisServer server_;
  TempFolder temp_{memory_folder()};
  milliseconds lease_time_{seconds(30)};
  milliseconds renew_every_{seconds(10)};
  milliseconds back_off_{seconds(30)};
};

TEST_F(FleetRaceTest, ThreeNodesBuildEachKeyOnce) {
  EXPECT_THAT(run_children(kNodes, [&](int number) { return want_all(number); }), Each(0));
  EXPECT_EQ(count_makes(makes()), static_cast<std::size_t>(kKeys));
  for (int number = 0; number < kNodes; ++number) {
    EXPECT_EQ(ArtifactCache::open(node(number)).value()->list().size(), static_cast<std::size_t>(kKeys));
  }
}

TEST_F(FleetRaceTest, NodesOfManyProcessesBuildOnce) {
  const auto use = [&](int number) { return use_cache(node(number % kNodes), 1, makes()); };
  EXPECT_THAT(run_children(4 * kNodes, use), Each(0));
  EXPECT_EQ(count_makes(makes()), 1U);
}

TEST_F(FleetRaceTest, LeaseOfKilledBuilderExpires) {
  lease_time_ = milliseconds(500);
  const pid_t stuck = start_stuck_maker();
  ::kill(stuck, SIGKILL);
  EXPECT_EQ(wait_for(stuck), -SIGKILL);
  EXPECT_EQ(server_.ask({"EXISTS", "kmux:1:" + torture_key(1).digest + ":lease"}).integer, 1);
  EXPECT_THAT(run_children(kNodes - 1, [&](int number) { return use_cache(node(number + 1), 1, makes()); }), Each(0));
  EXPECT_EQ(count_makes(makes()), 1U) << "the others still make it once";
}

TEST_F(FleetRaceTest, LeaseIsRenewedDuringBuild) {
  renew_every_ = milliseconds(1);
  const pid_t stuck = start_stuck_maker();
  const std::string lease = "kmux:1:" + torture_key(1).digest + ":lease";
  const auto end = std::chrono::steady_clock::now() + seconds(20);
  for (int renewals = 0; renewals < 3; ++renewals) {
    server_.ask({"PEXPIRE", lease, "15000"});  // as if half of its time were over
    while (server_.ask({"PTTL", lease}).integer <= 15'000 && std::chrono::steady_clock::now() < end) ::usleep(1000);
    EXPECT_GT(server_.ask({"PTTL", lease}).integer, 15'000);
  }
  ::kill(stuck, SIGKILL);
  wait_for(stuck);
}

TEST_F(FleetRaceTest, WaitForHungBuilderTimesOut) {
  const pid_t stuck = start_stuck_maker();
  CacheOptions impatient = node(1);
  impatient.lock_timeout = milliseconds(100);
  EXPECT_EQ(wait_for(start_child([&] { return use_cache(impatient, 1, makes()); })), 0);
  EXPECT_EQ(count_makes(makes()), 1U);
  ::kill(stuck, SIGKILL);
  wait_for(stuck);
}

TEST_F(FleetRaceTest, NodesSurviveServerKill) {
  const pid_t killer = start_child([&] {
    while (count_makes(makes()) == 0) ::usleep(1000);
    return server_.kill(), 0;
  });
  EXPECT_THAT(run_children(kNodes, [&](int number) { return want_all(number); }), Each(0));
  EXPECT_EQ(wait_for(killer), 0);
  EXPECT_GE(count_makes(makes()), static_cast<std::size_t>(kKeys));
}

TEST_F(FleetRaceTest, NodesSurviveServerPause) {
  const auto hasty = [&](int number) {
    CacheOptions options = node(number);
    options.remote->tier =
        std::make_shared<RedisTier>(RedisTier::Options{.address = server_.address(), .timeout = milliseconds(200)});
    for (int i = 0; i < kKeys; ++i) {
      if (const int wrong = use_cache(options, i, makes()); wrong != 0) return wrong;
    }
    return 0;
  };
  const pid_t stopper = start_child([&] {
    while (count_makes(makes()) == 0) ::usleep(1000);
    return server_.pause(), 0;
  });
  EXPECT_THAT(run_children(kNodes, hasty), Each(0));
  EXPECT_EQ(wait_for(stopper), 0);
  server_.resume();
}

}  // namespace
}  // namespace kmux
