#pragma once

#include <mutex>
#include <vector>

namespace kmux::cpu {

/// What loaded code wants run when it goes: its `atexit` functions and the destructors of its static objects.
///
/// The address of the list is the code's `__dso_handle`, so that each `__cxa_atexit` finds the list of its caller.
/// Threads: any.
class ExitList {
 public:
  void add(void (*function)(void*), void* argument);
  /// Runs everything, last first, and also what is added meanwhile.
  void run();

  /// A thread-local object of the code has a destructor that a thread will run after the code may be gone: the code
  /// must stay.
  void pin();
  bool pinned() const;

  /// `__cxa_atexit`, `__cxa_thread_atexit`: `handle` is an ExitList.
  static int at_exit(void (*function)(void*), void* argument, void* handle);
  static int at_thread_exit(void (*function)(void*), void* argument, void* handle);

 private:
  struct Entry {
    void (*function)(void*);
    void* argument;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  bool pinned_ = false;
};

}  // namespace kmux::cpu
