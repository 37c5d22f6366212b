#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>

#include "cache/disk/cache_entry.h"

namespace kmux {

/// What became of a build, and a moment before it began.
struct BuildOutcome {
  Result<CacheEntry> result;
  FileTime began = 0;
};

/// One build of one key, for all threads that want it while it runs.
class SharedBuild {
 public:
  explicit SharedBuild(std::uint64_t number);
  /// Waits for the leader's outcome.
  const BuildOutcome& wait() const { return outcome_.get(); }
  /// Builds of a process are numbered as they begin, from 1.
  std::uint64_t number() const { return number_; }
  /// Whose leader will complete it: a child that was forked meanwhile must not wait.
  pid_t process() const { return process_; }

 private:
  friend class SingleFlight;
  std::promise<BuildOutcome> promise_;
  std::shared_future<BuildOutcome> outcome_ = promise_.get_future().share();
  std::uint64_t number_;
  pid_t process_;
};

/// The builds of a process that are running: one a key. A build can be joined until its outcome is there.
///
/// Threads: any.
class SingleFlight {
 public:
  struct Turn {
    std::shared_ptr<SharedBuild> build;
    bool leads = false;  // the leader must complete the build
  };
  /// Joins the build of `key`, or begins one.
  Turn join(const std::string& key);
  /// Gives everybody who joined the outcome: by the leader, once.
  const BuildOutcome& complete(const std::string& key, SharedBuild& build, BuildOutcome outcome);
  /// How many builds have begun. One with a larger number begins later than this call.
  std::uint64_t count() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::map<std::string, std::shared_ptr<SharedBuild>> builds_;
};

}  // namespace kmux
