#include "publisher.h"

#include <deque>
#include <exception>
#include <mutex>

#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

/// Returns the memory of a queued entry; other members are small.
///
/// Units: bytes.
std::size_t bytes_of_entry(const CacheEntry& entry) {
  std::size_t bytes = entry.launcher.size();
  for (const Artifact::Part& part : entry.artifact.parts) bytes += part.name.size() + part.content.size();
  return bytes;
}

constexpr int kNice = 10;  // threads that wait for a compiler have priority

}  // namespace

struct Publisher::State final : OwnedThread::State {
  void work() override;
  /// Publishes or logs. Swallows exceptions, so that neither the application's sink nor lack of memory terminates a
  /// thread.
  void publish_or_log(Publication& publication) noexcept {
    try {
      publish(publication);
      return;
    } catch (const std::exception& error) {
      try {
        if (log)
          log(std::string("an artifact is not stored (") + error.what() + "). The next process compiles it again.");
      } catch (...) {  // NOLINT(bugprone-empty-catch): by the sink itself
      }
    } catch (...) {  // NOLINT(bugprone-empty-catch): nothing that could be logged
    }
  }
  bool has_place_for(std::size_t bytes) const {
    return waiting.empty() || (waiting.size() < limits.count && waiting_bytes + bytes <= limits.bytes);
  }

  std::function<void(Publication&)> publish;
  CacheLog log;
  Limits limits;
  std::deque<Publication> waiting;  // the first is the one being published
  std::size_t waiting_bytes = 0;
};

Publisher::Publisher(std::function<void(Publication&)> publish, CacheLog log)
    : Publisher(std::move(publish), std::move(log), Limits{}) {}

Publisher::Publisher(std::function<void(Publication&)> publish, CacheLog log, Limits limits)
    : state_(std::make_shared<State>()) {
  state_->publish = std::move(publish);
  state_->log = std::move(log);
  state_->limits = limits;
}

Publisher::~Publisher() { thread_.end(*state_); }

void Publisher::add(Publication publication) noexcept {
  if (thread_.is_forked()) return;  // the mutex may be held by a thread that is not in this process
  if (queue(publication)) {
    state_->changed.notify_all();
  } else {
    state_->publish_or_log(publication);
  }
}

/// Queues the publication for the thread. Returns false if the thread cannot take it.
bool Publisher::queue(Publication& publication) {
  const std::size_t bytes = bytes_of_entry(publication.entry);
  const std::lock_guard guard(state_->mutex);
  if (!state_->has_place_for(bytes) || !thread_.start(state_, "start publisher")) return false;
  try {
    state_->waiting.emplace_back();
  } catch (const std::bad_alloc&) {
    return false;
  }
  state_->waiting.back() = std::move(publication);
  state_->waiting_bytes += bytes;
  return true;
}

void Publisher::flush() {
  if (thread_.is_forked()) return;
  std::unique_lock guard(state_->mutex);
  state_->changed.wait(guard, [this] { return state_->waiting.empty(); });
}

void Publisher::State::work() {
  yield_to_others(kNice);
  std::unique_lock guard(mutex);
  for (;;) {
    changed.wait(guard, [this] { return ends || !waiting.empty(); });
    if (waiting.empty()) return;
    Publication& first = waiting.front();  // items of a deque have stable addresses
    guard.unlock();
    const std::size_t bytes = bytes_of_entry(first.entry);
    publish_or_log(first);
    first = {};  // outside the lock, as releasing its lease takes a while
    guard.lock();
    waiting.pop_front();
    waiting_bytes -= bytes;
    changed.notify_all();
  }
}

std::shared_ptr<const UnpublishedEntry> Unpublished::find(const std::string& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.lock();
}

void Unpublished::add(const std::string& key, const std::shared_ptr<const UnpublishedEntry>& entry) {
  const std::lock_guard guard(mutex_);
  std::erase_if(entries_, [](const auto& item) { return item.second.expired(); });
  entries_[key] = entry;
}

}  // namespace kmux
