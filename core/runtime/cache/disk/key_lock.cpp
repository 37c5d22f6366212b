#include "key_lock.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/sha256.h"

#include "file_descriptor.h"

namespace kmux {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFirstPause = std::chrono::microseconds(500);
constexpr auto kLook = std::chrono::seconds(1);
constexpr auto kLongestPause = std::chrono::microseconds(10'000);

std::int64_t offset_of(std::string_view name) {
  return static_cast<std::int64_t>(std::stoull(sha256_hex(name).substr(0, 15), nullptr, 16));  // 60 bits
}

/// Tries to take the lock. Returns 0 or errno.
int take_lock(NumberedLocks& file, std::int64_t offset) {
  if (const int error = fault_point("lock"); error != 0) return error;
  return file.take(offset);
}

/// Waits until no other open file has the lock, and acquires it.
bool wait_for_lock(NumberedLocks& file, std::int64_t offset, Clock::time_point end,
                   const KeyLocks::Patience& patience) {
  auto next_look = Clock::now() + kLook;
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const int error = take_lock(file, offset);
    if (error == 0) return true;
    const bool taken = error == EAGAIN || error == EACCES || error == EINTR;
    if (!taken || Clock::now() >= end) return false;
    if (patience && Clock::now() >= next_look) {
      if (!patience(file.holder(offset))) return false;
      next_look = Clock::now() + kLook;
    }
    std::this_thread::sleep_for(pause);
  }
}

std::atomic<unsigned> fork_count{0};

/// Returns the number of forks of this process. A child shares the open files of its parent, and thus their locks.
/// Locks taken after a fork must be in another open file, or a child that outlives its parent would hold them.
unsigned count_forks() {
  static const int registered =
      ::pthread_atfork(nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); }, nullptr);
  (void)registered;
  return fork_count.load(std::memory_order_relaxed);
}

}  // namespace

/// The offsets that threads of this process hold or wait for in the file, over all its open descriptions.
class KeyLocks::Table {
 public:
  Table() : process_(::getpid()) {}

  /// Returns true in a forked child, where the mutex may be locked by a thread of the parent.
  bool is_forked() const { return process_ != ::getpid(); }

  bool claim(std::int64_t offset, Clock::time_point end) {
    std::unique_lock guard(mutex_);
    if (!freed_.wait_until(guard, end, [&] { return !claimed_.contains(offset); })) return false;
    claimed_.insert(offset);
    return true;
  }
  void free(std::int64_t offset) {
    {
      const std::lock_guard guard(mutex_);
      claimed_.erase(offset);
    }
    freed_.notify_all();
  }

  /// Returns the last opened file. Opens it again if the path names another file now or this process was forked since.
  std::shared_ptr<File> file(const std::filesystem::path& path);

 private:
  pid_t process_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::set<std::int64_t> claimed_;
  std::shared_ptr<File> file_;
};

/// An open description of the file of locks. Closed with its last lock once the table has another one.
class KeyLocks::File {
 public:
  explicit File(const std::filesystem::path& path) : forks_(count_forks()), locks_(path) {}

  bool is_current() const { return forks_ == count_forks() && locks_.is_current(); }
  bool lock(std::int64_t offset, Clock::time_point end, const Patience& patience) {
    return locks_.is_open() && wait_for_lock(locks_, offset, end, patience);
  }
  /// Unlocks explicitly, as closing is not enough: a child forked since has the same open file. Such a child must not
  /// release its parent's locks.
  void unlock(std::int64_t offset) {
    if (process_ != ::getpid() || fault_point("lock") != 0) return;
    locks_.give(offset);
  }

 private:
  unsigned forks_;
  NumberedLocks locks_;
  pid_t process_ = ::getpid();
};

std::shared_ptr<KeyLocks::File> KeyLocks::Table::file(const std::filesystem::path& path) {
  const std::lock_guard guard(mutex_);
  if (file_ == nullptr || !file_->is_current()) file_ = std::make_shared<File>(path);
  return file_;
}

/// Leaks the table in a forked child: destroying its condition variable would block for waiters of the parent.
KeyLocks::KeyLocks(std::filesystem::path file)
    : path_(std::move(file)), table_(new Table(), [](Table* table) {
        if (!table->is_forked()) delete table;
      }) {}
KeyLocks::~KeyLocks() = default;

std::optional<KeyLocks::Held> KeyLocks::acquire(std::string_view name, std::chrono::milliseconds timeout,
                                                const Patience& patience) {
  const std::int64_t offset = offset_of(name);
  const Clock::time_point end = Clock::now() + timeout;
  const bool forked = table_->is_forked();
  if (!forked && !table_->claim(offset, end)) return std::nullopt;
  Held held(forked ? nullptr : table_, offset);
  if (!held.lock(forked ? std::make_shared<File>(path_) : table_->file(path_), end, patience)) return std::nullopt;
  return held;
}

bool KeyLocks::Held::lock(std::shared_ptr<File> file, Clock::time_point end, const Patience& patience) {
  if (!file->lock(offset_, end, patience)) return false;
  file_ = std::move(file);
  return true;
}

KeyLocks::Held& KeyLocks::Held::operator=(Held&& other) noexcept {
  release();
  file_ = std::move(other.file_);
  table_ = std::move(other.table_);
  offset_ = other.offset_;
  return *this;
}

void KeyLocks::Held::release() {
  if (file_ != nullptr) std::exchange(file_, nullptr)->unlock(offset_);
  const std::shared_ptr<Table> table = std::move(table_);
  if (table != nullptr && !table->is_forked()) table->free(offset_);
}

}  // namespace kmux
