// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>

#include "kmux/error.h"

#include "cache/disk/cache_entry.h"

namespace kmux {

/// The outcome of a build, and a time before it began.
struct BuildOutcome {
  Result<CacheEntry> result;
  FileTime began = 0;
};

/// One build of one key, shared by all threads that request it while it runs.
class SharedBuild {
 public:
  explicit SharedBuild(std::uint64_t number);
  /// Blocks until the leader has completed, and returns its outcome. Valid as long as this object.
  const BuildOutcome& wait() const { return outcome_.get(); }
  /// Returns its number. Builds of a process are numbered in the order in which they begin, from 1.
  std::uint64_t number() const { return number_; }
  /// Returns the process of the leader. A child forked since must not wait.
  pid_t process() const { return process_; }

 private:
  friend class SingleFlight;
  std::promise<BuildOutcome> promise_;
  std::shared_future<BuildOutcome> outcome_ = promise_.get_future().share();
  std::uint64_t number_;
  pid_t process_;
};

/// The running builds of a process, one per key. A build can be joined until it has an outcome.
///
/// Threads: any.
class SingleFlight {
 public:
  struct Turn {
    std::shared_ptr<SharedBuild> build;
    bool leads = false;  // the leader must complete the build
  };
  /// Joins the build of `key`, or starts one as its leader.
  Turn join(const std::string& key);
  /// Passes the outcome to all joined callers. The leader must call this exactly once.
  const BuildOutcome& complete(const std::string& key, SharedBuild& build, BuildOutcome outcome);
  /// Returns the number of builds begun so far. A build with a larger number begins after this call.
  std::uint64_t count() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::map<std::string, std::shared_ptr<SharedBuild>> builds_;
};

}  // namespace kmux
