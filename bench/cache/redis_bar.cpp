#include <stdexcept>

#include "kmux/plugin/sha256.h"

#include "bars/bar.h"
#include "cache/artifact_cache.h"
#include "cache/remote/redis_tier.h"
#include "fleet/redis_server.h"
#include "timing.h"

namespace kmux::bench {
namespace {

constexpr int kKeys = 201;
constexpr std::size_t kArtifactBytes = 16 * 1024;

CacheKey key_of(int number) { return {sha256_hex("redis_hit " + std::to_string(number)), Json::Object{}}; }

/// Returns bytes that do not repeat.
std::string code_of(int number) {
  std::string code;
  for (int i = 0; code.size() < kArtifactBytes; ++i)
    code += sha256_hex(std::to_string(number) + ":" + std::to_string(i));
  return code;
}

std::shared_ptr<ArtifactCache> node(const RedisServer& server, const TempFolder& temp, const char* name) {
  CacheOptions options{.folder = temp.path() / name, .lock_folder = temp.path() / "locks"};
  options.remote = RemoteOptions{.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = server.address()}),
                                 .secret = "the key of a fleet"};
  return ArtifactCache::open(std::move(options)).value();
}

void fill(ArtifactCache& cache) {
  for (int i = 0; i < kKeys; ++i) {
    CacheEntry entry;
    entry.artifact.set("code", code_of(i));
    entry.launcher = "launcher";
    cache.publish(key_of(i), std::move(entry), file_time_now());
  }
  cache.flush();
}

double redis_hit() {
  const RedisServer server;
  const TempFolder temp;
  fill(*node(server, temp, "maker"));
  const auto reader = node(server, temp, "reader");
  const auto not_there = [] { return make_error(ErrorCode::kInternal, "the server does not have it"); };
  std::vector<double> times;
  for (int i = 0; i < kKeys; ++i) {
    const CacheKey key = key_of(i);
    times.push_back(milliseconds_of([&] { reader->find_or_make(key, not_there).value(); }));
    reader->flush();  // background work must not count in the next hit
  }
  return median(times);
}

/// An artifact of 16 KiB from a Redis server on loopback, the disk tier empty.
BAR("redis_hit", "ms", at_most(2), redis_hit);

}  // namespace
}  // namespace kmux::bench
