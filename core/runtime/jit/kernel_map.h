#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kmux/error.h"
#include "kmux/jit_core.h"
#include "kmux/jit_form.h"
#include "kmux/kernel.h"

#include "system/fork_guard.h"

namespace kmux {

/// The kernels of a wrapper, by key, and those that are being made. However many threads ask for a key, one makes it; a
/// failure is returned to those who waited and then forgotten, and so is a kernel that is out of date.
///
/// Threads: any.
class KernelMap {
 public:
  /// What became of a key; nothing if the thread that was to make it gave up.
  using Outcome = std::optional<Result<Kernel>>;

  /// The promise to make the kernel of a key. Gives it up when it goes.
  ///
  /// Lifetime: borrows the map.
  class Promise {
   public:
    Promise(Promise&& other) noexcept
        : map_(other.map_),
          key_(std::move(other.key_)),
          number_(other.number_),
          promise_(std::exchange(other.promise_, std::nullopt)) {}
    Promise& operator=(Promise&&) = delete;
    ~Promise();
    /// Wakes all waiters, once.
    void settle(Outcome outcome);

   private:
    friend class KernelMap;
    Promise(KernelMap& map, std::string key, std::uint64_t number)
        : map_(&map), key_(std::move(key)), number_(number) {}
    KernelMap* map_;
    std::string key_;
    std::uint64_t number_;
    std::optional<std::promise<Outcome>> promise_ = std::promise<Outcome>();
  };

  /// Either a promise, or an outcome to wait for.
  struct Place {
    std::optional<Promise> promise;
    std::shared_future<Outcome> outcome;
    std::uint64_t number = 0;  // promises are numbered as they begin, from 1
  };
  /// A kernel that is out of date is made anew.
  Place take(const std::string& key);

  /// How many promises have begun: what is made under a larger number is begun later than this call.
  std::uint64_t count() const;

  /// What was made at `place`, if it can be returned to who began to ask when `count` was `begun_before`: what was begun before
  /// that counts only if it is a kernel and up to date.
  static Outcome outcome_of(const Place& place, std::uint64_t begun_before);

  /// The kernel of `key`; by `make` if it is neither there nor being made.
  template <class Make>
  Result<Kernel> get(const std::string& key, const Make& make) {
    const std::uint64_t begun_before = count();
    for (;;) {
      Place place = take(key);
      if (place.promise) {
        Result<Kernel> made = make();
        place.promise->settle(made);
        return made;
      }
      if (Outcome outcome = outcome_of(place, begun_before)) return *std::move(outcome);
    }
  }

 private:
  struct Made {
    std::uint64_t number;
    std::shared_future<Outcome> outcome;
  };
  std::optional<Made> find(const std::string& key) const;
  void forget(const std::string& key, std::uint64_t number);
  void forget_parents();

  mutable std::mutex mutex_;
  ForkGuard guard_{mutex_};
  std::uint64_t count_ = 0;
  std::map<std::string, Made> made_;
  std::uint64_t generation_ = fork_generation();
};

/// The kernels of the calls that were seen, by form. No form is removed; a kernel that is out of date is not found, and
/// another one can take its place. Readers neither lock nor wait where that has not happened.
///
/// Threads: any.
class FormTable {
 public:
  /// More forms than that are not kept: a function that is called with ever new shapes would fill the memory.
  static constexpr std::size_t kMostForms = 16384;

  FormTable();
  FoundKernel find(const CallForm& form) const noexcept;
  /// The first kernel of a form stays while it is up to date. False if the table is full.
  bool insert(const CallForm& form, const Kernel& kernel);

 private:
  struct Entry {
    Entry(std::uint64_t hash_of_words, std::span<const std::uint64_t> all, Kernel kernel)
        : hash(hash_of_words), words(all.begin(), all.end()), first(std::move(kernel)) {}
    std::uint64_t hash;
    std::vector<std::uint64_t> words;
    Kernel first;  // stays, as a reader may be calling it
    std::atomic<bool> is_replaced = false;
    std::optional<Kernel> latest = {};  // under the lock
  };
  /// Open addressing, linear probing, at most half full; a power of two places.
  struct Places {
    explicit Places(std::size_t count) : mask(count - 1), entries(new std::atomic<Entry*>[count]()) {}
    Entry* find(std::uint64_t hash, std::span<const std::uint64_t> words) const noexcept;
    void put(Entry& entry);
    std::size_t mask;
    std::unique_ptr<std::atomic<Entry*>[]> entries;
  };
  std::optional<Kernel> latest_of(const Entry& entry) const;
  void grow();

  std::atomic<const Places*> current_;
  mutable std::mutex mutex_;  // of writers, and of what took another one's place
  ForkGuard guard_{mutex_};
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<Places>> generations_;  // a reader may still be in an older one
};

}  // namespace kmux
