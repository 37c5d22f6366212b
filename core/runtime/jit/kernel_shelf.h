#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kmux/error.h"
#include "kmux/kernel.h"

namespace kmux {

/// The kernels of a wrapper, by key, and those that are being made. However many threads ask for a key, one makes it; a
/// failure is told to those who waited and then forgotten.
///
/// Threads: any.
class KernelShelf {
 public:
  /// What became of a key; nothing if whoever was to make it gave up.
  using Outcome = std::optional<Result<Kernel>>;

  /// The duty to make the kernel of a key. Gives it up when it goes.
  ///
  /// Lifetime: borrows the shelf.
  class Duty {
   public:
    Duty(Duty&& other) noexcept
        : shelf_(other.shelf_), key_(std::move(other.key_)), promise_(std::exchange(other.promise_, std::nullopt)) {}
    Duty& operator=(Duty&&) = delete;
    ~Duty();
    /// Tells everybody who waits, once.
    void settle(Outcome outcome);

   private:
    friend class KernelShelf;
    Duty(KernelShelf& shelf, std::string key) : shelf_(&shelf), key_(std::move(key)) {}
    KernelShelf* shelf_;
    std::string key_;
    std::optional<std::promise<Outcome>> promise_ = std::promise<Outcome>();
  };

  /// Either a duty, or an outcome to wait for.
  struct Place {
    std::optional<Duty> duty;
    std::shared_future<Outcome> outcome;
  };
  Place take(const std::string& key);

  /// The kernel of `key`; by `make` if nobody has made it or is at it.
  template <class Make>
  Result<Kernel> get(const std::string& key, const Make& make) {
    for (;;) {
      Place place = take(key);
      if (place.duty) {
        Result<Kernel> made = make();
        place.duty->settle(made);
        return made;
      }
      if (const Outcome& outcome = place.outcome.get()) return *outcome;
    }
  }

 private:
  void forget(const std::string& key);
  std::mutex mutex_;
  std::map<std::string, std::shared_future<Outcome>> outcomes_;
};

}  // namespace kmux
