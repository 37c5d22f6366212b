#include "form_table.h"

#include <algorithm>

namespace kmux {
namespace {

constexpr std::size_t kFirstPlaces = 16;

}  // namespace

FormTable::FormTable() {
  generations_.push_back(std::make_unique<Places>(kFirstPlaces));
  current_.store(generations_.back().get(), std::memory_order_release);
}

const FormTable::Entry* FormTable::Places::find(std::uint64_t hash,
                                                std::span<const std::uint64_t> words) const noexcept {
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Entry* const entry = entries[at].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->hash == hash && std::ranges::equal(entry->words, words)) return entry;
  }
}

void FormTable::Places::put(const Entry& entry) {
  std::size_t at = entry.hash & mask;
  while (entries[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & mask;
  entries[at].store(&entry, std::memory_order_release);
}

const Kernel* FormTable::find(const CallForm& form) const noexcept {
  const Entry* const entry = current_.load(std::memory_order_acquire)->find(form.hash(), form.words());
  return entry == nullptr ? nullptr : &entry->kernel;
}

bool FormTable::insert(const CallForm& form, const Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  if (find(form) != nullptr) return true;
  if (entries_.size() == kMostForms) return false;
  if (2 * (entries_.size() + 1) > generations_.back()->mask + 1) grow();
  const std::span<const std::uint64_t> words = form.words();
  entries_.push_back({form.hash(), {words.begin(), words.end()}, kernel});
  generations_.back()->put(entries_.back());
  return true;
}

void FormTable::grow() {
  auto larger = std::make_unique<Places>(2 * (generations_.back()->mask + 1));
  for (const Entry& entry : entries_) larger->put(entry);
  generations_.push_back(std::move(larger));
  current_.store(generations_.back().get(), std::memory_order_release);
}

}  // namespace kmux
