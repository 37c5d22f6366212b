#pragma once

#include <cstdint>
#include <mutex>

namespace kmux {

/// How many forks lie between this process and the one that loaded the library: what was made under another number has
/// threads that are not here.
///
/// Threads: any.
std::uint64_t fork_generation() noexcept;

/// Has fork() take `mutex` first, so that a child finds it free and what it guards whole. For those that are held for
/// a short time only: fork() waits at most kPatience for all of them, and a child finds a mutex that it did not get free
/// all the same.
///
/// Threads: any.   Lifetime: a member declared after its mutex.
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
