#include <array>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kmux/plugin/sha256.h"

#include "bars/bar.h"
#include "cache/remote/redis_tier.h"
#include "cache/remote/remote_cache.h"
#include "fleet/redis_server.h"
#include "fleet/throttled_proxy.h"

namespace kmux::bench {
namespace {

constexpr int kGetters = 8;
constexpr int kRounds = 8;
constexpr std::size_t kValueBytes = std::size_t{8} << 20;
constexpr std::int64_t kBytesPerSecond = 200'000'000 / 8;

std::string key_of_getter(int number) { return sha256_hex("loaded " + std::to_string(number)); }

RemoteCache node_at(const RemoteAddress& address) {
  return RemoteCache({.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = address}),
                      .name = "redis://bar",
                      .secret = "the key of a fleet"},
                     [](const std::string& line) { std::fprintf(stderr, "  %s\n", line.c_str()); });
}

void put_values(const RedisServer& server) {
  RemoteCache cache = node_at(server.address());
  for (int i = 0; i < kGetters; ++i) {
    CacheEntry entry;
    entry.artifact.set("code", std::string(kValueBytes, static_cast<char>('a' + i)));
    cache.store(pack_entry({key_of_getter(i)}, entry, file_time_now()).value());
  }
}

double redis_loaded_hit_ratio() {
  const RedisServer server;
  put_values(server);
  const ThrottledProxy network(server.address(), kBytesPerSecond);
  std::atomic<int> hits{0};
  std::atomic<int> round{0};
  std::barrier together(
      kGetters, [&]() noexcept { std::fprintf(stderr, "  round %d of %d: %d hits\n", round++, kRounds, hits.load()); });
  std::vector<std::thread> getters;
  for (int i = 0; i < kGetters; ++i) {
    getters.emplace_back([&, i] {
      RemoteCache cache = node_at(network.address());
      for (int gets = 0; gets < kRounds; ++gets) {
        together.arrive_and_wait();  // as nodes of a starting fleet
        const std::optional<CacheEntry> found = cache.find(key_of_getter(i));
        hits += found && found->artifact.find("code")->size() == kValueBytes ? 1 : 0;
      }
    });
  }
  for (std::thread& getter : getters) getter.join();
  return static_cast<double>(hits) / (kGetters * kRounds);
}

/// Hits of eight nodes that get 8 MiB each through 200 Mbit/s, at the same time.
BAR("redis_loaded_hit_ratio", "of 1", at_least(0.95), redis_loaded_hit_ratio);

}  // namespace
}  // namespace kmux::bench
