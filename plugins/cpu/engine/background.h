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
/// Lifetime: at its end what waits is dropped and what runs is waited for; `stopping` lets a job hear of it. When the
///           process ends, a job is left alone: nothing that it uses is destroyed (immortal_statics.cpp). Only where LLVM
///           is a shared library, which is, the process waits for it.
class Background {
 public:
  using Job = std::function<void()>;

  Background();
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Does nothing in a forked child, once stopped or if no thread can be started. What a job throws is dropped.
  void post(Job job);
  /// Waits until everything posted so far is done or dropped.
  void wait();
  bool stopping() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace kmux::cpu
