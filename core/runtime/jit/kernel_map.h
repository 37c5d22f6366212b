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

/// The finished and pending kernels of a wrapper, by key. Single-flight: of all threads that request a key, one leader
/// makes the kernel and the others join. A failure is returned to the joined threads and then forgotten; so is a kernel
/// that is out of date.
///
/// Threads: any.
class KernelMap {
 public:
  /// The result of a key; nothing if the leader gave up.
  using Outcome = std::optional<Result<Kernel>>;

  /// The leader's promise to make the kernel of a key. Its destructor gives up unless it was settled.
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
    /// Publishes the outcome and wakes all waiters. Must be called at most once.
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

  /// The leader's promise, or else an outcome to wait for.
  struct Place {
    std::optional<Promise> promise;
    std::shared_future<Outcome> outcome;
    std::uint64_t number = 0;  // promises are numbered as they begin, from 1
  };
  /// Joins the pending or finished kernel of `key`, or makes the caller its leader. A kernel that is out of date is
  /// replaced.
  Place take(const std::string& key);

  /// Returns how many promises have begun: a kernel with a larger number is begun after this call.
  std::uint64_t count() const;

  /// Blocks until `place` is settled and returns its outcome for a caller that began when `count` was `begun_before`.
  /// An outcome that was begun earlier is returned only if it is a kernel that is up to date.
  static Outcome outcome_of(const Place& place, std::uint64_t begun_before);

  /// Returns the kernel of `key`; calls `make` if it is neither finished nor pending.
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

/// The kernels of earlier calls, by form. Forms are never removed; a kernel that is out of date is not found and can be
/// replaced. Readers neither lock nor wait for entries that were not replaced.
///
/// Threads: any.
class FormTable {
 public:
  /// The maximum number of forms: a function that is called with ever new shapes must not fill the memory.
  static constexpr std::size_t kMaxForms = 16384;

  FormTable();
  FoundKernel find(const CallForm& form) const noexcept;
  /// Stores the kernel of a form; the first one stays while it is up to date. Returns false if the table is full.
  bool insert(const CallForm& form, const Kernel& kernel);

 private:
  struct Entry {
    Entry(std::uint64_t hash_of_words, std::span<const std::uint64_t> all, Kernel kernel)
        : hash(hash_of_words), words(all.begin(), all.end()), first(std::move(kernel)) {}
    std::uint64_t hash;
    std::vector<std::uint64_t> words;
    Kernel first;  // never destroyed, as a reader may be calling it
    std::atomic<bool> is_replaced = false;
    std::optional<Kernel> latest = {};  // under the lock
  };
  /// A hash table: open addressing, linear probing, at most half full, a power of two places.
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
  mutable std::mutex mutex_;  // for writers and for `latest`
  ForkGuard guard_{mutex_};
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<Places>> generations_;  // a reader may still be in an older one
};

}  // namespace kmux
