// Many nodes at the same time, through a network that is slow for all of them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/remote_nodes.h"
#include "fleet/throttled_proxy.h"

namespace kmux {
namespace {

class RemoteLoadTest : public RemoteNodes {
 protected:
  static CacheKey key_of(int number) { return {sha256_hex(std::to_string(number))}; }
  static CacheEntry entry_of(int number, std::size_t bytes) {
    CacheEntry entry;
    entry.artifact.set("code", std::string(bytes, static_cast<char>('a' + number % 26)));
    entry.launcher = std::to_string(number);
    return entry;
  }
  static RemoteOptions through(const RemoteAddress& address) {
    return {.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = address, .timeout = seconds(1)}),
            .name = "redis://test"};
  }
};

TEST_F(RemoteLoadTest, EightConcurrentLargeValuesAreHits) {
  constexpr int kGetters = 8;
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  const auto one = node("one");
  for (int i = 0; i < kGetters; ++i) one->publish(key_of(i), entry_of(i, kBytes), file_time_now());
  one->flush();
  const ThrottledProxy network(server_.address(), 8'000'000);  // 2.1 s for all, more than twice the time-out
  std::vector<int> hits(kGetters, 0);
  std::vector<std::thread> getters;
  for (int i = 0; i < kGetters; ++i) {
    getters.emplace_back([&, i] {
      const auto found = node("getter" + std::to_string(i), through(network.address()))->find(key_of(i));
      hits[static_cast<std::size_t>(i)] = found && found->launcher == std::to_string(i) ? 1 : 0;
    });
  }
  for (std::thread& getter : getters) getter.join();
  EXPECT_THAT(hits, testing::Each(1));
  EXPECT_EQ(log(), "");
}

TEST_F(RemoteLoadTest, LargeValueIsStoredOverSlowNetwork) {
  const ThrottledProxy network(server_.address(), 4'000'000);
  const auto one = node("one", through(network.address()));
  one->publish(key_of(1), entry_of(1, std::size_t{6} << 20), file_time_now());
  one->flush();
  EXPECT_EQ(log(), "");
  EXPECT_TRUE(node("two")->find(key_of(1)));
}

/// A tier whose `put` takes so long that what is compiled meanwhile has to wait.
class SlowToPut final : public RemoteTier {
 public:
  explicit SlowToPut(const RemoteAddress& address)
      : inner_({.address = address, .timeout = std::chrono::seconds(20)}) {}
  Result<std::optional<std::string>> get(const std::string& name) override { return inner_.get(name); }
  Status put(const std::string& name, const std::string& value) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return inner_.put(name, value);
  }
  Result<bool> lease(const std::string& name, const std::string& holder, std::chrono::milliseconds time) override {
    return inner_.lease(name, holder, time);
  }
  Status release(const std::string& name, const std::string& holder) override { return inner_.release(name, holder); }

 private:
  RedisTier inner_;
};

std::size_t count_in(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// Units: bytes.
std::size_t resident() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096;
}

/// The most that this process had at one of the moments that were looked at.
struct Peak {
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  std::size_t bytes = 0;
};

class Watch {
 public:
  void look() {
    const std::lock_guard guard(mutex_);
    peak_.descriptors = std::max(peak_.descriptors, count_in("/proc/self/fd"));
    peak_.threads = std::max(peak_.threads, count_in("/proc/self/task"));
    peak_.bytes = std::max(peak_.bytes, resident());
  }
  Peak peak() const { return peak_; }

 private:
  std::mutex mutex_;
  Peak peak_;
};

class RemoteCrowdTest : public RemoteLoadTest {
 protected:
  /// The peak while so many are compiled, in four threads.
  Peak compile(const std::string& folder, int count) {
    RemoteOptions options{.tier = std::make_shared<SlowToPut>(server_.address()), .name = "redis://test"};
    const auto cache = node(folder, std::move(options));
    Watch watch;
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int i = next++; i < count; i = next++) {
        const auto made =
            cache->find_or_make({sha256_hex(folder + std::to_string(i))}, [&] { return made_in(watch, i); });
        EXPECT_TRUE(made.ok());
        watch.look();
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < std::min(count, 4); ++t) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    cache->flush();
    EXPECT_EQ(cache->list().size(), static_cast<std::size_t>(count));
    return watch.peak();
  }
  static Result<CacheEntry> made_in(Watch& watch, int number) {
    watch.look();
    return entry_of(number, std::size_t{256} << 10);
  }
};

TEST_F(RemoteCrowdTest, ResourceUseStaysBoundedFor640Compiles) {
  server_.ask({"CONFIG", "SET", "maxmemory", "64mb"});
  server_.ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  const Peak one = compile("one", 1);
  const Peak many = compile("many", 640);
  EXPECT_LE(many.descriptors, one.descriptors + 64);
  EXPECT_LE(many.threads, one.threads + 4) << "three of them compile";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which keep much more than what is asked for
  EXPECT_LE(many.bytes, one.bytes + (std::size_t{64} << 20));
#endif
  RecordProperty("descriptors", std::to_string(many.descriptors) + " of one: " + std::to_string(one.descriptors));
  RecordProperty("threads", std::to_string(many.threads) + " of one: " + std::to_string(one.threads));
  RecordProperty("mebibytes", std::to_string(many.bytes >> 20) + " of one: " + std::to_string(one.bytes >> 20));
  EXPECT_EQ(log(), "");
}

}  // namespace
}  // namespace kmux
