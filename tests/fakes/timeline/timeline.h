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
/// In one thread a seed gives one order. One operation is executed at a time, on whichever thread waits or lets the
/// device progress; work may enqueue, but not synchronize.
///
/// Threads: any.   Lifetime: operations that were not executed are dropped with the timeline.
class Timeline {
 public:
  using Work = std::function<void()>;
  using Stream = std::uint64_t;     // 0: none
  using Operation = std::uint64_t;  // 0: none, which is complete

  /// How a stream is ordered with the others of its device: the legacy one, of which each device has at most one, waits
  /// for all blocking ones, and they wait for it.
  enum class Ordering { kLegacy, kBlocking, kNonBlocking };

  /// What was last in a stream when the event was recorded. A copy is not affected by recording again.
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
  /// Forgets the stream; what is in it will be executed all the same.
  void destroy(Stream stream);

  /// Adds an operation after everything that `stream` has to wait for. Executes nothing.
  Operation enqueue(Stream stream, Work work);
  /// Adds steps, ordered as they say, and an empty operation behind them all, which is returned. The first ones wait for
  /// `after`, too.
  Operation enqueue(Stream stream, std::vector<Step> steps, Operation after);

  /// Records `event` as an operation of the stream.
  void record(Event& event, Stream stream);
  /// What `stream` gets from here on waits for what `event` recorded; for nothing if it never was.
  void wait(Stream stream, const Event& event);

  bool is_complete(Operation operation) const;
  /// Whether an operation that is enqueued on `stream` next would wait for `operation`.
  bool is_ordered(Operation operation, Stream stream) const;

  /// Lets the devices progress by themselves: executes a few operations, or none, at times none for many calls.
  void progress();

  /// Executes operations at random until those of the stream are complete; for the legacy stream those of the blocking
  /// ones, too.
  void synchronize(Stream stream);
  /// The same for what an event recorded, and for everything.
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
  std::map<int, std::vector<Operation>> left_;  // the last ones of blocking streams that were destroyed
  std::map<Operation, Pending> pending_;
  std::vector<Operation> ready_;
};

}  // namespace kmux::fakes
