#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "exit_stop.h"

namespace kmux {

/// One thread for work that nobody waits for. It begins with the first job.
///
/// Threads:  any.
/// Lifetime: at its end, and when the process ends, what waits is dropped and what runs is waited for. Made with `make`.
class Background final : public StopsAtExit {
 public:
  using Job = std::function<void()>;

  static std::shared_ptr<Background> make();
  ~Background() override { stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Runs `job` after those before it, or drops it if `stop` was called. What a job throws is dropped.
  void post(Job job);
  void stop() override;
  /// This object, for who may outlive it.
  std::weak_ptr<Background> handle() const { return self_; }

 private:
  Background() = default;
  void start();
  void work();

  std::weak_ptr<Background> self_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::thread thread_;
  bool stopped_ = false;
};

}  // namespace kmux
