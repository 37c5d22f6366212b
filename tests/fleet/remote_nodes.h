#pragma once

#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/sha256.h"

#include "cache/artifact_cache.h"
#include "cache/remote/redis_tier.h"
#include "fleet/redis_server.h"

namespace kmux {

/// Nodes of a fleet, their server, and one entry that they all want.
class RemoteNodes : public testing::Test {
 protected:
  using milliseconds = std::chrono::milliseconds;
  using seconds = std::chrono::seconds;

  RemoteOptions remote(milliseconds timeout = seconds(10)) const {
    return {.tier = std::make_shared<RedisTier>(RedisTier::Options{.address = server_.address(), .timeout = timeout}),
            .name = "redis://test",
            .secret = secret_,
            .back_off = back_off_};
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
    const auto found = cache->find_or_make(key_, [&] { return made = true, entry(); });
    EXPECT_TRUE(found.ok());
    EXPECT_EQ(found->artifact.find("code")->substr(0, 1000), std::string(1000, 'c'));
    EXPECT_EQ(found->launcher, "launcher");
    cache->flush();
    return made;
  }
  std::string value() const { return server_.ask({"GET", name_}).text; }
  void set_value(const std::string& bytes) const { server_.ask({"SET", name_, bytes}); }
  std::string log() const {
    std::string all;
    for (const std::string& line : log_) all += line + "\n";
    return all;
  }
  /// A header that was written long ago, with one time whatever it says.
  void write_header(const std::string& content) {
    header_ = content;
    const std::filesystem::path file = temp_.write("h/a.h", content);
    const timespec times[] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    ::utimensat(AT_FDCWD, file.c_str(), times, 0);
    dependencies_ = {{file}, {(temp_.path() / "h/b.h").string()}};
    std::this_thread::sleep_for(milliseconds(30));  // a header of this very moment is not known to be what was built
  }

  const CacheKey key_{sha256_hex("a"), Json::Object{{"name", "a"}}};
  const std::string name_ = "kmux:1:" + key_.digest;
  RedisServer server_;
  TempFolder temp_{memory_folder()};
  std::string secret_;
  milliseconds back_off_{seconds(100)};
  std::string header_;
  Dependencies dependencies_;
  std::mutex mutex_;
  std::vector<std::string> log_;
};

}  // namespace kmux
