#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

namespace kmux::fake_metal {

/// The device's side: runs the commands of every queue in a separate thread. Commands of one queue run in order. A seed
/// (KMUX_FAKE_METAL_SEED, default 1) draws the next queue, and the device sometimes pauses, so that queues overlap as
/// on hardware.
///
/// Threads: any.
class Worker {
 public:
  using Queue = const void*;
  struct Command {
    std::function<void()> run;
    std::function<bool()> is_ready = {};  // must read only atomics; without it the command is always ready
  };

  static Worker& get();
  void add(Queue queue, std::vector<Command> commands);
  /// Blocks until no command can run: all are done, held, or wait for an event.
  void drain();
  /// Holds or releases the device or one queue of it. While held, it does not begin another command.
  void hold(bool held);
  void hold(Queue queue, bool held);
  /// Blocks until `done` returns true, which is checked after each command. `done` must read only atomics.
  void wait(const std::function<bool()>& done);
  /// Wakes all waiting threads to check their conditions again.
  void notify();

 private:
  struct QueueState {
    Queue queue;
    std::deque<Command> commands = {};
    bool is_held = false;
  };
  Worker();
  void run();
  void pause(std::unique_lock<std::mutex>& guard);
  QueueState& state_of(Queue queue);
  std::vector<QueueState*> ready();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueueState> queues_;
  std::mt19937_64 random_;
  bool is_held_ = false;
  bool is_busy_ = false;
};

}  // namespace kmux::fake_metal
