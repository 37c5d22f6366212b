#include "cache/artifact_cache.h"

#include <atomic>
#include <barrier>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/sha256.h"

#include "cache/disk/key_lock.h"
#include "cache/lock_patience.h"
#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

CacheKey key_of(const std::string& name) { return {sha256_hex(name), Json::Object{{"name", name}}}; }

CacheEntry entry_of(const std::string& code) {
  CacheEntry entry;
  entry.artifact.set("code", code);
  entry.launcher = "launcher of " + code;
  return entry;
}

class ArtifactCacheTest : public testing::Test {
 protected:
  CacheOptions options() {
    CacheOptions options;
    options.folder = temp_.path() / "cache";
    options.lock_folder = temp_.path() / "locks";
    options.log = [this](const std::string& text) {
      const std::lock_guard guard(mutex_);
      log_ += text + "\n";
    };
    return options;
  }
  std::shared_ptr<ArtifactCache> open() { return ArtifactCache::open(options()).value(); }

  /// Returns the code of the entry, found or made.
  std::string code(ArtifactCache& cache, const std::string& name) {
    const auto make = [&] { return ++makes_, entry_of("code of " + name); };
    return *cache.find_or_make(key_of(name), make).value().artifact.find("code");
  }
  /// Returns a make function that fails with `code`.
  std::function<Result<CacheEntry>()> refusing(ErrorCode code) {
    return [this, code] { return ++makes_, Result<CacheEntry>(make_error(code, "no").with("log", "why")); };
  }

  TempFolder temp_{memory_folder()};
  std::mutex mutex_;
  std::string log_;
  std::atomic<int> makes_{0};
};

TEST_F(ArtifactCacheTest, MakesEntryOnceThenFindsIt) {
  EXPECT_EQ(code(*open(), "a"), "code of a");
  const auto cache = open();
  EXPECT_EQ(code(*cache, "a"), "code of a");
  EXPECT_EQ(makes_, 1);
  EXPECT_EQ(cache->find(key_of("a"))->launcher, "launcher of code of a");
  EXPECT_FALSE(cache->find(key_of("b")));
  EXPECT_EQ(log_, "");
}

TEST_F(ArtifactCacheTest, WarnsOfStoppedHolderAndBuilds) {
  if (is_portable())
    GTEST_SKIP() << needs("locks of bytes of an open file", "the portable way has a file for each lock");
  const auto cache = open();
  const pid_t child = ::fork();
  if (child == 0) {
    KeyLocks own(options().lock_folder / "locks");
    const auto name = options().folder.string() + '\n' + key_of("a").digest;
    const auto held = own.acquire(name, std::chrono::milliseconds(0));
    ::raise(SIGSTOP);
    std::_Exit(held ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_EQ(code(*cache, "a"), "code of a");
  EXPECT_EQ(log_, "goes on without process " + std::to_string(child) +
                      ", which has a lock of the cache and is stopped (a kernel may be compiled twice). Continue that "
                      "process, or end it.\n");
  ::kill(child, SIGCONT);
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(LockPatienceTest, WarnsOnceOfLongWait) {
  std::string told, warned;
  LockPatience patience([&](const std::string& text) { told += text + "\n"; },
                        [&](const std::string& text) { warned += text + "\n"; });
  const std::string self = std::to_string(::getpid());
  for (int second = 1; second < 10; ++second) EXPECT_TRUE(patience(::getpid()));
  EXPECT_EQ(told, "waits for process " + self + ", which has the lock.\n");
  EXPECT_EQ(warned, "");
  for (int second = 10; second < 30; ++second) EXPECT_TRUE(patience(::getpid()));
  EXPECT_EQ(warned, "waits for process " + self +
                        ", which has had a lock of the cache for some time (it compiles the "
                        "same kernel). Wait, or end that process.\n");
}

TEST_F(ArtifactCacheTest, CachesOnlyUnsupportedErrors) {
  for (int i = 0; i < 2; ++i) {
    const auto cache = open();
    const Error error = cache->find_or_make(key_of("u"), refusing(ErrorCode::kUnsupported)).error();
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_EQ(error.message, "no");
    EXPECT_EQ(error.note("log"), "why");
    for (const ErrorCode code : {ErrorCode::kCompileFailed, ErrorCode::kUnavailable, ErrorCode::kInternal}) {
      EXPECT_EQ(cache->find_or_make(key_of("other"), refusing(code)).error().code, code);
    }
  }
  EXPECT_EQ(makes_, 1 + 2 * 3);
  EXPECT_TRUE(open()->find(key_of("u"))->unsupported);
}

TEST_F(ArtifactCacheTest, MakesOnceForAllThreads) {
  const auto cache = open();
  std::barrier start(8);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      if (code(*cache, "a") == "code of a") ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(makes_, 1);
  EXPECT_EQ(right, 8);
}

TEST_F(ArtifactCacheTest, ReturnsErrorToAllWaiters) {
  const auto cache = open();
  std::barrier start(4);
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const auto outcome = cache->find_or_make(key_of("a"), refusing(ErrorCode::kCompileFailed));
      if (!outcome && outcome.error().note("log") == "why") ++failed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 4);
  EXPECT_EQ(code(*cache, "a"), "code of a");
}

TEST_F(ArtifactCacheTest, ReleasesWaitersWhenMakeThrows) {
  const auto cache = open();
  std::atomic<bool> makes{false};
  std::thread follower;
  const auto make = [&]() -> Result<CacheEntry> {
    follower = std::thread([&] {
      makes = true;
      const auto outcome = cache->find_or_make(key_of("a"), [] { return entry_of("its own"); });
      EXPECT_TRUE(outcome.ok() || outcome.error().code == ErrorCode::kInternal);
    });
    while (!makes) std::this_thread::yield();
    throw std::bad_alloc();
  };
  EXPECT_THROW((void)cache->find_or_make(key_of("a"), make), std::bad_alloc);
  follower.join();
}

TEST_F(ArtifactCacheTest, PublishesEntryBuiltElsewhere) {
  const auto cache = open();
  cache->publish(key_of("a"), entry_of("full"), file_time_now());
  cache->flush();
  EXPECT_EQ(code(*cache, "a"), "full");
  EXPECT_EQ(makes_, 0);
}

TEST_F(ArtifactCacheTest, LogsEntryThatCannotBeCached) {
  CacheEntry entry = entry_of("a");
  entry.artifact.set(std::string(kDependenciesPart), to_json(Dependencies{{temp_.write("a.h", "")}, {}}));
  const auto cache = open();
  cache->publish(key_of("a"), std::move(entry), 0);
  cache->flush();
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(log_, HasSubstr("an artifact is not cached: what the build read is not known"));
}

TEST_F(ArtifactCacheTest, SearchesReadOnlyFoldersNext) {
  code(*open(), "shared");
  fs::rename(temp_.path() / "cache", temp_.path() / "shared");
  CacheOptions with_tier = options();
  with_tier.read_only = {temp_.path() / "missing", temp_.path() / "shared"};
  const auto cache = ArtifactCache::open(std::move(with_tier)).value();
  EXPECT_THAT(log_, HasSubstr("missing' cannot be used"));
  EXPECT_EQ(code(*cache, "shared"), "code of shared");
  EXPECT_EQ(makes_, 1);
  cache->flush();
  EXPECT_TRUE(cache->list().empty()) << "what the tier has is not copied";
}

TEST_F(ArtifactCacheTest, ServesReadOnlyFoldersWhenItsOwnIsUnusable) {
  code(*open(), "shared");
  fs::rename(temp_.path() / "cache", temp_.path() / "shared");
  CacheOptions only_tier = options();
  only_tier.folder = temp_.write("file", "") / "cache";
  only_tier.read_only = {temp_.path() / "shared"};
  const auto cache = ArtifactCache::open(std::move(only_tier)).value();
  EXPECT_THAT(cache->why_read_only().value(), HasSubstr("cache' cannot be used (Not a directory)"));
  EXPECT_EQ(code(*cache, "shared"), "code of shared");
  EXPECT_EQ(makes_, 1);
  EXPECT_EQ(code(*cache, "other"), "code of other");
  cache->flush();
  EXPECT_TRUE(cache->list().empty() && cache->verify().empty());
  EXPECT_THAT(cache->prune({}).error().message, HasSubstr("cannot prune the cache. folder"));
}

TEST_F(ArtifactCacheTest, ServesReadOnlyFoldersWithoutItsOwn) {
  code(*open(), "shared");
  CacheOptions only_tier = options();
  only_tier.folder.clear();
  only_tier.read_only = {temp_.path() / "cache"};
  const auto cache = ArtifactCache::open(std::move(only_tier)).value();
  EXPECT_THAT(log_, HasSubstr("nothing is stored: there is no folder for it"));
  EXPECT_EQ(code(*cache, "shared"), "code of shared");
  EXPECT_EQ(code(*cache, "other"), "code of other");
  EXPECT_EQ(makes_, 2);
  cache->flush();
  cache->forget(key_of("other"));
  EXPECT_TRUE(cache->list().empty() && cache->verify().empty());
  EXPECT_EQ(cache->folder(), "") << "no folder that is named by chance";
}

TEST_F(ArtifactCacheTest, RejectsFolderWritableByOthers) {
  fs::create_directory(temp_.path() / "cache");
  ::chmod((temp_.path() / "cache").c_str(), 0777);
  EXPECT_EQ(ArtifactCache::open(options()).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ArtifactCacheTest, DoesNotQuarantineDamagedReadOnlyEntry) {
  code(*open(), "shared");
  const fs::path entry = open()->list().at(0).location.folder;
  fs::resize_file(entry / "launcher", 1);
  fs::rename(temp_.path() / "cache", temp_.path() / "shared");
  CacheOptions with_tier = options();
  with_tier.read_only = {temp_.path() / "shared"};
  const auto cache = ArtifactCache::open(std::move(with_tier)).value();
  EXPECT_EQ(code(*cache, "shared"), "code of shared");
  EXPECT_EQ(makes_, 2);
  EXPECT_THAT(log_, HasSubstr("is not used (launcher has another size)"));
  EXPECT_FALSE(fs::exists(temp_.path() / "shared" / "quarantine"));
}

TEST_F(ArtifactCacheTest, ContinuesWithoutUntrustedLockFolder) {
  fs::create_directory(temp_.path() / "locks");
  ::chmod((temp_.path() / "locks").c_str(), 0777);
  EXPECT_EQ(code(*open(), "a"), "code of a");
  EXPECT_THAT(log_, HasSubstr("locks' is refused (others may write to it)"));
  EXPECT_TRUE(open()->find(key_of("a")));
}

TEST_F(ArtifactCacheTest, IgnoresInvalidKeys) {
  const auto cache = open();
  const CacheKey odd{"../../" + std::string(58, 'a')};
  EXPECT_TRUE(cache->find_or_make(odd, [] { return entry_of("a"); }).ok());
  cache->flush();
  EXPECT_FALSE(cache->find(odd));
  EXPECT_TRUE(cache->list().empty());
}

TEST_F(ArtifactCacheTest, LimitsEntriesPerKey) {
  const auto cache = open();
  for (int i = 0; i < 20; ++i) {
    CacheEntry entry = entry_of(std::to_string(i));
    entry.artifact.set(std::string(kDependenciesPart),
                       to_json(Dependencies{{temp_.write("a.h", std::to_string(i))}, {}}));
    cache->publish(key_of("a"), std::move(entry), file_time_now() + 1'000'000'000);
    cache->flush();
  }
  EXPECT_EQ(cache->list().size(), 16U);
  EXPECT_EQ(code(*cache, "a"), "19");
}

TEST_F(ArtifactCacheTest, SweepsAfterPublication) {
  CacheOptions small = options();
  small.max_bytes = 1;
  small.min_idle = std::chrono::seconds(0);
  const auto cache = ArtifactCache::open(std::move(small)).value();
  code(*cache, "a");
  cache->flush();
  EXPECT_TRUE(cache->list().empty());
}

TEST_F(ArtifactCacheTest, PrunesOnRequest) {
  const auto cache = open();
  code(*cache, "a");
  cache->flush();
  EXPECT_EQ(cache->prune({}).value().entries_removed, 0U) << "it was just used";
  EXPECT_EQ(cache->prune({.min_idle = std::chrono::seconds(0)}).value().entries_removed, 1U);
  EXPECT_FALSE(cache->why_read_only());
}

}  // namespace
}  // namespace kmux
