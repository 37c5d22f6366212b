#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kmux/jit_core.h"
#include "kmux/jit_form.h"
#include "kmux/kernel.h"

#include "system/fork_guard.h"

namespace kmux {

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
