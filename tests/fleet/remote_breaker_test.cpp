// When a tier is left alone, and what is done all the same: a tier that does as it is told, and a clock that the test moves.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sha256.h"

#include "cache/remote/remote_cache.h"
#include "cache/remote/remote_value.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Error dead() { return make_error(ErrorCode::kUnavailable, "it did not answer in time"); }
Error slow() { return dead().with(kSlowStoreNote, ""); }
Error refusing() { return make_error(ErrorCode::kUnsupported, "it refuses"); }

class ObedientTier final : public RemoteTier {
 public:
  Result<std::optional<std::string>> get(const std::string&) override {
    ++gets;
    if (get_error) return *get_error;
    return value;
  }
  Status put(const std::string&, const std::string&) override {
    ++puts;
    if (put_error) return *put_error;
    return Ok{};
  }
  Result<bool> lease(const std::string&, const std::string&, std::chrono::milliseconds) override {
    ++leases;
    return is_free;
  }
  Status release(const std::string&, const std::string&) override {
    ++releases;
    return Ok{};
  }

  std::optional<Error> get_error;
  std::optional<Error> put_error;
  std::optional<std::string> value;
  bool is_free = true;
  int gets = 0;
  int puts = 0;
  std::atomic<int> leases{0};
  int releases = 0;
};

class RemoteBreakerTest : public testing::Test {
 protected:
  /// Was the tier called?
  bool gets() {
    const int before = tier_->gets;
    (void)cache_.find(key_);
    return tier_->gets > before;
  }
  void store() { cache_.store({key_, sha256_hex("state"), {{"manifest.json", "{}"}}}); }

  const std::string key_ = sha256_hex("a");
  CircuitBreaker::Clock::time_point now_{1000s};
  std::vector<std::string> log_;
  std::shared_ptr<ObedientTier> tier_ = std::make_shared<ObedientTier>();
  RemoteCache cache_{
      {.tier = tier_, .name = "test", .renew_every = 1ms, .back_off = 30s, .now = [this] { return now_; }},
      [this](const std::string& line) { log_.push_back(line); }};
};

TEST_F(RemoteBreakerTest, SuspendsDeadTierImmediately) {
  tier_->get_error = dead();
  EXPECT_TRUE(gets());
  EXPECT_FALSE(gets());
  now_ += 30s;
  EXPECT_TRUE(gets());
  EXPECT_EQ(log_.size(), 2U);
}

TEST_F(RemoteBreakerTest, SuspendsTierOnlyAfterRepeatedSlowCalls) {
  tier_->get_error = slow();
  for (int i = 1; i < RemoteCache::kMaxSlowCalls; ++i) EXPECT_TRUE(gets());
  EXPECT_TRUE(log_.empty());
  tier_->get_error.reset();
  EXPECT_TRUE(gets());
  tier_->get_error = slow();
  for (int i = 0; i < RemoteCache::kMaxSlowCalls; ++i) EXPECT_TRUE(gets()) << "counted anew after a success";
  EXPECT_FALSE(gets()) << "none succeeds";
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_[0], HasSubstr("is not used for 30 s (it did not answer in time)"));
}

TEST_F(RemoteBreakerTest, RenewsAndReleasesLeasesWhileSuspended) {
  RemoteCache::Turn turn = cache_.take_turn(key_, 0ms);
  ASSERT_TRUE(turn.lease);
  tier_->get_error = dead();
  EXPECT_TRUE(gets());
  EXPECT_FALSE(gets()) << "it rests";
  const int before = tier_->leases;
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (tier_->leases < before + 3 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_GE(tier_->leases, before + 3);
  turn.lease.reset();
  EXPECT_EQ(tier_->releases, 1);
}

TEST_F(RemoteBreakerTest, RetriesAfterTrialBlockedByOtherBreaker) {
  tier_->get_error = refusing();
  EXPECT_TRUE(gets());  // nobody reads until 1030
  now_ += 29s;
  tier_->put_error = dead();
  store();  // nobody calls until 1059
  EXPECT_EQ(tier_->puts, 1);
  tier_->get_error.reset();
  tier_->put_error.reset();
  now_ += 1s;
  EXPECT_FALSE(gets());
  now_ += 29s;
  EXPECT_TRUE(gets());
  EXPECT_TRUE(gets());
}

TEST_F(RemoteBreakerTest, LimitsLoggingOfRejectedValues) {
  Artifact parts;
  for (int i = 0; i < 1000; ++i) parts.set(sha256_hex(std::to_string(i)), "x");
  tier_->value = serialize(parts);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(gets());
  EXPECT_EQ(log_.size(), 2U) << "one for its parts, one for their number";
  for (int i = 0; i < 100; ++i) (void)cache_.find(sha256_hex(std::to_string(i)));
  ASSERT_EQ(log_.size(), LogLimit::kMaxLines);
  EXPECT_THAT(log_.back(), HasSubstr("More of the kind are not logged for a while."));
}

}  // namespace
}  // namespace kmux
