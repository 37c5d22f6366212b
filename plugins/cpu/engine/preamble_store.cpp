#include "engine/preamble_store.h"

#include <algorithm>
#include <utility>

namespace kmux::cpu {
namespace {

constexpr std::size_t kMostEntries = 256;

}  // namespace

// The entry of `key`, now the one used last, or the end. The caller has the lock.
std::list<PreambleStore::Entry>::iterator PreambleStore::look_up(const std::string& key) {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found != entries_.end()) entries_.splice(entries_.begin(), entries_, found);
  return found;
}

std::shared_ptr<const std::string> PreambleStore::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = look_up(key);
  return found == entries_.end() ? nullptr : found->bytes;
}

std::shared_ptr<const std::string> PreambleStore::find_or_request(const std::string& key, const Make& make) {
  const std::lock_guard lock(mutex_);
  if (const auto found = look_up(key); found != entries_.end()) return found->bytes;
  entries_.push_front({key, nullptr});
  if (entries_.size() > kMostEntries) {
    if (entries_.back().bytes) bytes_ -= entries_.back().bytes->size();
    entries_.pop_back();
  }
  background_.post([this, key, make] { keep(key, make([this] { return background_.stopping(); })); });
  return nullptr;
}

void PreambleStore::keep(const std::string& key, std::string bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end() || bytes.empty() || bytes.size() > most_bytes_) return;
  bytes_ += bytes.size();
  found->bytes = std::make_shared<const std::string>(std::move(bytes));
  while (bytes_ > most_bytes_) {
    const auto oldest = std::find_if(entries_.rbegin(), entries_.rend(),
                                     [&](const Entry& entry) { return entry.bytes && entry.key != key; });
    bytes_ -= oldest->bytes->size();
    entries_.erase(std::prev(oldest.base()));
  }
}

}  // namespace kmux::cpu
