#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>
#include <thread>

#include "cache_entry.h"
#include "dependency_state.h"
#include "key_lock.h"
#include "remote_lease.h"
#include "single_flight.h"

namespace kmux {

/// An entry on its way to the disk, with what is held until it is there.
struct Publication {
  CacheKey key;
  CacheEntry entry;
  FileTime began = 0;  // when its build began
  std::optional<KeyLock> lock = {};
  std::shared_ptr<Flight> flight = {};
  std::unique_ptr<RemoteLease> lease = {};
  bool from_remote = false;  // there it is already
};

/// Publishes in a thread of its own, which begins with the first publication.
///
/// A child that was forked has no such thread: what is added there is dropped.
/// Threads: any.
class Publisher {
 public:
  explicit Publisher(std::function<void(Publication&)> publish);
  /// Waits until everything is published or given up.
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  void add(Publication publication);
  /// Waits until everything that was added before is published or given up.
  void flush();

 private:
  struct State;
  static void stand_back();
  static void work(State& state);
  bool is_forked() const;

  std::shared_ptr<State> state_;  // the thread has it, too: in a forked child it is never torn down
  std::thread thread_;
};

}  // namespace kmux
