#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

namespace kmux::cpu {

/// A flow of control with a stack of its own, which does one task after another.
///
/// It is never unwound: what waits in it when it is destroyed is forgotten, as code of devices has nothing to clean up.
/// Threads: that which made it.
class Fiber {
 public:
  using Task = void (*)(void* argument);
  static constexpr std::size_t kStackBytes = std::size_t{256} << 10;

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// What the fiber does when it is resumed and has nothing left to do.
  void set_task(Task task, void* argument);
  /// Goes on with its task until it waits or is done.
  ///
  /// Errors: throws what the task threw.
  void resume();
  /// Within its task: goes back to who resumed it.
  void wait();
  bool is_done() const;
  /// Is `address` on its stack?
  bool owns(const void* address) const;

 private:
  class Sanitizer;
  struct Impl;
  Impl* impl_;  // lies on the stack
};

/// Fibers that wait for work. Keeps them from one launch to the next.
class FiberPool {
 public:
  /// Those of the calling thread.
  static FiberPool& of_thread();
  std::unique_ptr<Fiber> take();
  void give_back(std::unique_ptr<Fiber> fiber) { idle_.push_back(std::move(fiber)); }

 private:
  std::vector<std::unique_ptr<Fiber>> idle_;
};

}  // namespace kmux::cpu
