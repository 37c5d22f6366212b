#pragma once

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "system/fork_guard.h"

namespace kmux {

/// Threads whose compiler nobody waits for any more, and that nothing can stop: they are waited for in the end.
///
/// Threads: any.   Lifetime: the destructor waits for all. The end of the process does not.
class Stragglers {
 public:
  Stragglers() = default;
  ~Stragglers();
  Stragglers(const Stragglers&) = delete;
  Stragglers& operator=(const Stragglers&) = delete;

  void adopt(std::thread thread);

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  const std::uint64_t generation_ = fork_generation();
};

}  // namespace kmux
