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
/// All locks are bytes of one file, which is never deleted and never grows: a name's digest is the byte's offset. They
/// belong to the open file (OFD locks). This process opens it once, however many locks it holds, and has a table of what
/// its own threads hold, as locks of one open file do not exclude each other.
/// Threads: any. A forked child opens the file once for each of its locks.
class KeyLocks {
  class File;
  class Table;

 public:
  /// Asked every second of a wait, with the process that has the lock or 0: false gives up.
  using Patience = std::function<bool(pid_t holder)>;

  /// One lock, held until this object goes or its process ends.
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
    std::shared_ptr<File> file_ = {};  // null: it is not locked there
    std::shared_ptr<Table> table_ = {};  // null: it is in none, as in a forked child
    std::int64_t offset_;
  };

  explicit KeyLocks(std::filesystem::path file);
  ~KeyLocks();
  KeyLocks(const KeyLocks&) = delete;
  KeyLocks& operator=(const KeyLocks&) = delete;

  /// Waits for the lock `name`, at most `timeout` (0: does not wait).
  ///
  /// Nothing if it could not be taken: the time or the patience is over, or this system or file system has no such locks. Go on
  /// without.
  std::optional<Held> acquire(std::string_view name, std::chrono::milliseconds timeout, const Patience& patience = {});

 private:
  std::filesystem::path path_;
  std::shared_ptr<Table> table_;
};

}  // namespace kmux
