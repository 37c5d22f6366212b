#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "src/exit_stop.h"

namespace kmux {

/// Threads whose compiler nobody waits for any more, and that nothing can stop: they are waited for in the end.
///
/// Threads: any.   Lifetime: the destructor, and the end of the process, wait for all.
class Stragglers final : public StopsAtExit {
 public:
  static std::shared_ptr<Stragglers> make();
  ~Stragglers() override { stop(); }

  void adopt(std::thread thread);
  void stop() override;

 private:
  Stragglers() = default;
  std::weak_ptr<Stragglers> self_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace kmux
