#pragma once

#include <cstdint>
#include <mutex>

namespace kmux {

/// Returns the number of forks between the process that loaded the library and this one. Objects created under another
/// number have threads that do not exist in this process.
///
/// Threads: any.
std::uint64_t fork_generation() noexcept;

/// Makes fork() acquire `mutex` first, so that a child finds it free and the guarded data consistent. Only for mutexes
/// that are held briefly: fork() waits at most kPatience for all of them. In a child, a mutex that fork() did not
/// acquire is reset to free.
///
/// Threads: any.   Lifetime: must be a member declared after its mutex.
class ForkGuard {
 public:
  explicit ForkGuard(std::mutex& mutex);
  ~ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

 private:
  friend struct ForkGuards;
  std::mutex& mutex_;
  bool is_held_ = false;  // by fork()
  ForkGuard* before_ = nullptr;
  ForkGuard* next_ = nullptr;
};

}  // namespace kmux
