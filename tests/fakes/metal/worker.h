#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

namespace kmux::fake_metal {

/// The device's side: runs the commands of every queue in a thread of its own. Those of one queue run in order; which queue
/// goes on next is drawn by a seed (KMUX_FAKE_METAL_SEED, 1 without it), and now and then the device pauses, so that
/// queues overlap as they may on hardware.
///
/// Threads: any.
class Worker {
 public:
  using Queue = const void*;
  struct Command {
    std::function<void()> run;
    std::function<bool()> is_ready = {};  // reads atomics alone; without it the command always is
  };

  static Worker& get();
  void add(Queue queue, std::vector<Command> commands);
  /// Waits until nothing can go on: everything is done, is held, or waits for an event.
  void drain();
  /// While held, the device or one queue of it does not begin another command.
  void hold(bool held);
  void hold(Queue queue, bool held);
  /// Waits until `done` holds, asked after each command. It reads atomics alone.
  void wait(const std::function<bool()>& done);
  /// Has those who wait ask again.
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
