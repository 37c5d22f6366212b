#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace kmux::fakes {

/// Work of the streams of devices, executed in a random order that their dependencies allow.
///
/// In one thread a seed determines the order. One operation is executed at a time, on a thread that waits or lets the
/// device progress; work may enqueue, but must not synchronize.
///
/// Threads: any.   Lifetime: pending operations are dropped with the timeline.
class Timeline {
 public:
  using Work = std::function<void()>;
  using Stream = std::uint64_t;     // 0: none
  using Operation = std::uint64_t;  // 0: none, which is complete

  /// The order of a stream relative to others of its device. The legacy stream, at most one per device, waits for all
  /// blocking streams, and they wait for it.
  enum class Ordering { kLegacy, kBlocking, kNonBlocking };

  /// The last operation of a stream when the event was recorded. Recording again does not affect copies.
  struct Event {
    Operation recorded = 0;
  };

  /// One of several operations that are enqueued together: `after` are indices of earlier steps.
  struct Step {
    Work work;
    std::vector<std::size_t> after;
  };

  explicit Timeline(std::uint64_t seed);

  Stream make_stream(int device, Ordering ordering);
  /// Forgets the stream; its pending operations will still be executed.
  void destroy(Stream stream);

  /// Adds an operation after all operations that `stream` has to wait for. Executes nothing.
  Operation enqueue(Stream stream, Work work);
  /// Adds steps in their given order. Returns an empty operation behind them all. The first steps also wait for
  /// `after`.
  Operation enqueue(Stream stream, std::vector<Step> steps, Operation after);

  /// Records `event` as an operation of the stream.
  void record(Event& event, Stream stream);
  /// Makes later operations of `stream` wait for the operation that `event` recorded; no effect if it was never
  /// recorded.
  void wait(Stream stream, const Event& event);

  bool is_complete(Operation operation) const;
  /// Returns true if the next operation enqueued on `stream` would wait for `operation`.
  bool is_ordered(Operation operation, Stream stream) const;

  /// Lets the devices progress by themselves: executes a few operations, or none, at times none for many calls.
  void progress();

  /// Executes operations at random until those of the stream are complete; for the legacy stream also those of the
  /// blocking streams.
  void synchronize(Stream stream);
  /// As above, for a recorded event, and for all operations.
  void synchronize(const Event& event);
  void synchronize();

 private:
  struct Lane {
    int device = 0;
    Ordering ordering = Ordering::kBlocking;
    Operation last = 0;
  };
  struct Pending {
    Work work;
    std::vector<Operation> after;
    std::vector<Operation> before;
    std::size_t blockers = 0;
  };

  std::uint64_t below(std::uint64_t bound);
  std::vector<Operation> predecessors_of(const Lane& lane) const;
  Operation add(std::vector<Operation> after, Work work);
  void execute_one(std::unique_lock<std::mutex>& lock);
  void complete(Operation operation);
  void synchronize_with(const std::vector<Operation>& goals);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937_64 random_;
  std::uint64_t quiet_calls_ = 0;
  std::uint64_t made_ = 0;
  std::thread::id executing_;
  std::map<Stream, Lane> lanes_;
  std::map<int, std::vector<Operation>> left_;  // the last operations of destroyed blocking streams
  std::map<Operation, Pending> pending_;
  std::vector<Operation> ready_;
};

}  // namespace kmux::fakes
