#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace kmux {

/// Advisory locks between the threads and processes of one machine, by name.
///
/// All locks are bytes of one file, which is never deleted and never grows: a name's digest is the byte's offset. Locks
/// belong to the open file (OFD locks). This process opens it once for all its locks. It keeps a table of the locks of
/// its threads, as locks of one open file do not exclude each other.
/// Threads: any. A forked child opens the file once for each of its locks.
class KeyLocks {
  class File;
  class Table;

 public:
  /// Called every second of a wait, with the process that holds the lock or 0. Returns false to stop waiting.
  using Patience = std::function<bool(pid_t holder)>;

  /// One lock, held until this object is destroyed or its process ends.
  class Held {
   public:
    Held(Held&& other) noexcept = default;
    Held& operator=(Held&& other) noexcept;
    ~Held() { release(); }

   private:
    friend class KeyLocks;
    Held(std::shared_ptr<Table> table, std::int64_t offset) : table_(std::move(table)), offset_(offset) {}
    bool lock(std::shared_ptr<File> file, std::chrono::steady_clock::time_point end, const Patience& patience);
    void release();
    std::shared_ptr<File> file_ = {};  // null: not locked in the file
    std::shared_ptr<Table> table_ = {};  // null: in no table, as in a forked child
    std::int64_t offset_;
  };

  explicit KeyLocks(std::filesystem::path file);
  ~KeyLocks();
  KeyLocks(const KeyLocks&) = delete;
  KeyLocks& operator=(const KeyLocks&) = delete;

  /// Acquires the lock `name`. Waits at most `timeout` (0: does not wait).
  ///
  /// Returns nothing if it was not acquired: the time or the patience is over, or this system or file system has no
  /// such locks. Callers must go on without the lock.
  std::optional<Held> acquire(std::string_view name, std::chrono::milliseconds timeout, const Patience& patience = {});

 private:
  std::filesystem::path path_;
  std::shared_ptr<Table> table_;
};

}  // namespace kmux
