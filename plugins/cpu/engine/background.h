#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace kmux::cpu {

/// One thread for work that nobody waits for. It begins with the first job.
///
/// Threads:  any.
/// Lifetime: at its end, and when the process ends, what waits is dropped and what runs is waited for; `stopping` lets
///           a job hear of it. The process must not tear down LLVM under a job that still compiles.
class Background {
 public:
  using Job = std::function<void()>;

  Background();
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Does nothing once stopped. A job must not throw.
  void post(Job job);
  /// Waits until everything posted so far is done or dropped.
  void wait();
  bool stopping() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace kmux::cpu
