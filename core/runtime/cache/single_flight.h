#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>

#include "cache_entry.h"

namespace kmux {

/// One make of one key, shared by all threads that ask while somebody holds on to it.
class Flight {
 public:
  using Outcome = Result<CacheEntry>;

  Flight();
  /// Waits for the leader's outcome.
  const Outcome& wait() const { return outcome_.get(); }
  /// Gives everybody the outcome: by the leader, once.
  const Outcome& land(Outcome outcome);
  /// Whose leader will land it: a child that was forked meanwhile must not wait.
  pid_t process() const { return process_; }

 private:
  std::promise<Outcome> promise_;
  std::shared_future<Outcome> outcome_ = promise_.get_future().share();
  pid_t process_;
};

/// The flights of a process. A flight can be joined as long as any of its members, or its publication, holds it.
///
/// Threads: any.
class SingleFlight {
 public:
  struct Seat {
    std::shared_ptr<Flight> flight;
    bool leads = false;  // the leader must land the flight
  };
  Seat board(const std::string& key);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Flight>> flights_;
};

}  // namespace kmux
