#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace kmux {

/// Limits the number of compilers that run concurrently and their total memory. Requests queue in order, so that a
/// large one is not starved. One compiler may always run, whatever its memory.
///
/// Threads: any.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  struct Request {
    std::uint64_t bytes = 0;  // expected peak of this compiler
    std::uint64_t budget = 0;  // limit of all compilers together
    std::size_t most = 1;  // limit of running compilers
  };

  /// The right to run, until the object is destroyed.
  class Permit {
   public:
    ~Permit();
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    /// Marks this compiler as cancelled: it no longer counts as running, but its memory still counts.
    void leave_behind();

   private:
    friend class Admission;
    Permit(std::shared_ptr<Admission> owner, std::uint64_t bytes) : owner_(std::move(owner)), bytes_(bytes) {}
    std::shared_ptr<Admission> owner_;
    std::uint64_t bytes_;
    bool counts_ = true;
  };

  /// Blocks until the request is first in the queue and fits. Returns null once `is_unwanted` returns true; each
  /// `reconsider` makes it check again.
  std::shared_ptr<Permit> acquire(const Request& request, const std::function<bool()>& is_unwanted);

  /// Makes all waiters check again whether they are cancelled.
  void reconsider();

 private:
  bool fits(const Request& request) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<const Request*> line_;
  std::uint64_t used_ = 0;
  std::size_t running_ = 0;
};

/// The rate at which jobs end, and an estimate of the remaining time.
class CompilePace {
 public:
  using Duration = std::chrono::duration<double>;

  /// Sets the usual time of a job from earlier runs, used until the first job has ended.
  void expect(Duration usual);
  /// Records that a job has ended after `took`.
  void ended(Duration took);

  /// Returns the rate, `elapsed` after the start. Units: jobs per second.
  double rate(std::size_t finished, Duration elapsed) const;

  /// Returns the estimated time until all jobs have ended, or nothing without an average. Each queued job takes the
  /// average time and each running job the rest of it, divided among the workers.
  std::optional<Duration> left(std::size_t queued, std::span<const Duration> running_since, std::size_t workers) const;

 private:
  std::optional<Duration> average() const;

  std::optional<Duration> expected_;
  Duration total_{};
  std::size_t count_ = 0;
};

}  // namespace kmux
