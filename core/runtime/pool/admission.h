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

/// What compilers may run at the same time: so many, and with so much memory together. They come in line, so that a large
/// one is not passed by for ever. One may always run, however much it takes.
///
/// Threads: any.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  struct Request {
    std::uint64_t bytes = 0;  // that it is expected to take
    std::uint64_t budget = 0;  // all together may take
    std::size_t most = 1;  // all together may be
  };

  /// The right to run, until the object goes.
  class Permit {
   public:
    ~Permit();
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    /// This one was cancelled: it does not count among those that run, but its memory does.
    void leave_behind();

   private:
    friend class Admission;
    Permit(std::shared_ptr<Admission> owner, std::uint64_t bytes) : owner_(std::move(owner)), bytes_(bytes) {}
    std::shared_ptr<Admission> owner_;
    std::uint64_t bytes_;
    bool counts_ = true;
  };

  /// Waits in line until the request fits; null once `is_unwanted` says so, which is asked at each `reconsider`.
  std::shared_ptr<Permit> acquire(const Request& request, const std::function<bool()>& is_unwanted);

  /// Has all waiters check again whether they are cancelled.
  void reconsider();

 private:
  bool fits(const Request& request) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<const Request*> line_;
  std::uint64_t used_ = 0;
  std::size_t running_ = 0;
};

/// How fast jobs end, and when all will have ended.
class CompilePace {
 public:
  using Duration = std::chrono::duration<double>;

  /// What a job takes usually, as earlier runs had it: counts until the first one has ended.
  void expect(Duration usual);
  /// A job has ended after that long.
  void ended(Duration took);

  /// Units: jobs a second, `elapsed` after the start.
  double rate(std::size_t finished, Duration elapsed) const;

  /// Until all have ended: what is queued takes as long as the average, what runs the rest of it, in as many rows as
  /// there are workers. Nothing if there is no average yet.
  std::optional<Duration> left(std::size_t queued, std::span<const Duration> running_since, std::size_t workers) const;

 private:
  std::optional<Duration> average() const;

  std::optional<Duration> expected_;
  Duration total_{};
  std::size_t count_ = 0;
};

}  // namespace kmux
