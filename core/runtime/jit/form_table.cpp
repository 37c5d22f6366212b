#include "form_table.h"

#include <algorithm>
#include <utility>

namespace kmux {
namespace {

constexpr std::size_t kFirstPlaces = 16;

}  // namespace

FormTable::FormTable() {
  generations_.push_back(std::make_unique<Places>(kFirstPlaces));
  current_.store(generations_.back().get(), std::memory_order_release);
}

FormTable::Entry* FormTable::Places::find(std::uint64_t hash, std::span<const std::uint64_t> words) const noexcept {
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Entry* const entry = entries[at].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->hash == hash && std::ranges::equal(entry->words, words)) return entry;
  }
}

void FormTable::Places::put(Entry& entry) {
  std::size_t at = entry.hash & mask;
  while (entries[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & mask;
  entries[at].store(&entry, std::memory_order_release);
}

FoundKernel FormTable::find(const CallForm& form) const noexcept {
  const Entry* const entry = current_.load(std::memory_order_acquire)->find(form.hash(), form.words());
  if (entry == nullptr) return {};
  if (!entry->is_replaced.load(std::memory_order_acquire)) [[likely]] {
    return entry->first.is_up_to_date() ? FoundKernel(entry->first) : FoundKernel();
  }
  std::optional<Kernel> latest = latest_of(*entry);
  return latest->is_up_to_date() ? FoundKernel(std::move(latest)) : FoundKernel();
}

std::optional<Kernel> FormTable::latest_of(const Entry& entry) const {
  const std::lock_guard lock(mutex_);
  return entry.latest;
}

bool FormTable::insert(const CallForm& form, const Kernel& kernel) {
  if (find(form)) return true;
  std::optional<Kernel> released;  // unloading may take long, so not under the lock
  const std::lock_guard lock(mutex_);
  const std::uint64_t hash = form.hash();
  if (Entry* const known = generations_.back()->find(hash, form.words())) {
    released = std::exchange(known->latest, kernel);
    known->is_replaced.store(true, std::memory_order_release);
    return true;
  }
  if (entries_.size() == kMostForms) return false;
  if (2 * (entries_.size() + 1) > generations_.back()->mask + 1) grow();
  generations_.back()->put(entries_.emplace_back(hash, form.words(), kernel));
  return true;
}

void FormTable::grow() {
  auto larger = std::make_unique<Places>(2 * (generations_.back()->mask + 1));
  for (Entry& entry : entries_) larger->put(entry);
  generations_.push_back(std::move(larger));
  current_.store(generations_.back().get(), std::memory_order_release);
}

}  // namespace kmux
