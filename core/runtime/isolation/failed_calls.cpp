#include "failed_calls.h"

#include <algorithm>
#include <iterator>

namespace kmux {
namespace {

std::size_t bytes_of_error(const Error& error) {
  std::size_t bytes = error.message.size();
  for (const Note& note : error.notes) bytes += note.kind.size() + note.text.size();
  return bytes;
}

}  // namespace

void FailedCalls::add(const std::string& key, const Error& error, const Limit& limit,
                      const std::optional<std::chrono::seconds>& at_most) {
  drop(key);
  drop_expired();
  const std::size_t bytes = bytes_of_error(error);
  if (bytes > kMaxBytes) return;
  while (entries_.size() >= kMaxCalls || bytes_ + bytes > kMaxBytes) drop_oldest();
  const auto time = at_most ? std::min<std::chrono::steady_clock::duration>(time_, *at_most) : time_;
  entries_.push_back({key, error, limit, bytes, now_() + time});
  by_key_.emplace(key, std::prev(entries_.end()));
  bytes_ += bytes;
}

std::optional<Error> FailedCalls::find(const std::string& key, const Limit& limit) {
  drop_expired();
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  const Limit& before = found->second->limit;
  if (before && (!limit || *limit > *before)) return std::nullopt;
  return found->second->error;
}

void FailedCalls::drop_expired() {
  const auto now = now_();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->until <= now) drop(std::string(entry->key));
    entry = next;
  }
}

void FailedCalls::drop_oldest() { drop(std::string(entries_.front().key)); }

void FailedCalls::drop(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  bytes_ -= found->second->bytes;
  entries_.erase(found->second);
  by_key_.erase(found);
}

}  // namespace kmux
