#include "kernel_map.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kmux {
namespace {

bool is_outdated(const std::shared_future<KernelMap::Outcome>& outcome) {
  if (outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  const KernelMap::Outcome& made = outcome.get();
  return made && *made && !(*made)->is_up_to_date();
}

}  // namespace

std::optional<KernelMap::Made> KernelMap::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto known = made_.find(key);
  return known == made_.end() ? std::nullopt : std::optional(known->second);
}

KernelMap::Place KernelMap::take(const std::string& key) {
  if (const std::optional<Made> known = find(key); known && is_outdated(known->outcome)) forget(key, known->number);
  Place place;  // before the lock: the destructor of a promise, after an exception, takes the lock
  const std::lock_guard lock(mutex_);
  forget_parents();
  if (const auto known = made_.find(key); known != made_.end()) {
    return {{}, known->second.outcome, known->second.number};
  }
  place.promise.emplace(Promise(*this, key, ++count_));
  place.number = count_;
  place.outcome = place.promise->promise_->get_future().share();
  made_.emplace(key, Made{count_, place.outcome});
  return place;
}

/// Forgets, in a forked child, kernels that a thread of the parent was making. Under the lock.
void KernelMap::forget_parents() {
  if (generation_ == fork_generation()) return;
  generation_ = fork_generation();
  std::erase_if(made_, [](const auto& item) {
    return item.second.outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  });
}

std::uint64_t KernelMap::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

KernelMap::Outcome KernelMap::outcome_of(const Place& place, std::uint64_t begun_before) {
  const Outcome& made = place.outcome.get();
  const bool counts = place.number > begun_before || (made && *made && (*made)->is_up_to_date());
  return counts ? made : std::nullopt;
}

void KernelMap::forget(const std::string& key, std::uint64_t number) {
  std::optional<Made> released;  // unloading may take long, so not under the lock
  const std::lock_guard lock(mutex_);
  const auto known = made_.find(key);
  if (known == made_.end() || known->second.number != number) return;
  released = std::move(known->second);
  made_.erase(known);
}

KernelMap::Promise::~Promise() {
  if (promise_) settle(std::nullopt);
}

/// Forgets a failure before it wakes the waiters, so that later requests start again.
void KernelMap::Promise::settle(Outcome outcome) {
  if (!outcome || !*outcome) map_->forget(key_, number_);
  promise_->set_value(std::move(outcome));
  promise_.reset();
}

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
  if (entries_.size() == kMaxForms) return false;
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
