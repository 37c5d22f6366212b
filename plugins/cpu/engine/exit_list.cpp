#include "engine/exit_list.h"

#include <optional>

// The C++ ABI's own, which runs `function` when the thread ends.
extern "C" int __cxa_thread_atexit(  // NOLINT(bugprone-reserved-identifier)
    void (*function)(void*), void* argument, void* handle) noexcept;

namespace kmux::cpu {

void ExitList::add(void (*function)(void*), void* argument) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({function, argument});
}

void ExitList::run() {
  const auto take = [this]() -> std::optional<Entry> {
    const std::lock_guard lock(mutex_);
    if (entries_.empty()) return std::nullopt;
    const Entry last = entries_.back();
    entries_.pop_back();
    return last;
  };
  while (const std::optional<Entry> entry = take()) entry->function(entry->argument);
}

void ExitList::pin() {
  const std::lock_guard lock(mutex_);
  pinned_ = true;
}

bool ExitList::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

int ExitList::at_exit(void (*function)(void*), void* argument, void* handle) {
  static_cast<ExitList*>(handle)->add(function, argument);
  return 0;
}

int ExitList::at_thread_exit(void (*function)(void*), void* argument, void* handle) {
  static_cast<ExitList*>(handle)->pin();
  static char of_this_library;  // which so stays as well; the code's own handle means nothing to the C library
  return __cxa_thread_atexit(function, argument, &of_this_library);
}

}  // namespace kmux::cpu
