#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kmux/jit_form.h"
#include "kmux/kernel.h"

namespace kmux {

/// The kernels of the calls that were seen, by form. Readers neither lock nor wait; nothing is removed.
///
/// Threads: any.
class FormTable {
 public:
  /// More forms than that are not kept: a function that is called with ever new shapes would fill the memory.
  static constexpr std::size_t kMostForms = 16384;

  FormTable();
  /// Lifetime: as long as the table.
  const Kernel* find(const CallForm& form) const noexcept;
  /// The first kernel of a form stays. False if the table is full.
  bool insert(const CallForm& form, const Kernel& kernel);

 private:
  struct Entry {
    std::uint64_t hash;
    std::vector<std::uint64_t> words;
    Kernel kernel;
  };
  /// Open addressing, linear probing, at most half full; a power of two places.
  struct Places {
    explicit Places(std::size_t count) : mask(count - 1), entries(new std::atomic<const Entry*>[count]()) {}
    const Entry* find(std::uint64_t hash, std::span<const std::uint64_t> words) const noexcept;
    void put(const Entry& entry);
    std::size_t mask;
    std::unique_ptr<std::atomic<const Entry*>[]> entries;
  };
  void grow();

  std::atomic<const Places*> current_;
  std::mutex mutex_;  // of writers
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<Places>> generations_;  // a reader may still be in an older one
};

}  // namespace kmux
