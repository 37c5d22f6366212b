#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"

namespace kmux::cpu {

/// The addresses in an object's `.init_array` and `.fini_array`, in the order in which they run.
struct InitSections {
  using Function = void (*)();
  std::vector<Function> initialisers;
  std::vector<Function> finalisers;
};

/// Keeps those sections while ORC links an object (it would drop them: nothing refers to them) and reads them.
///
/// Lifetime: borrows `sections`.
std::unique_ptr<llvm::orc::ObjectLinkingLayer::Plugin> collect_init_sections(InitSections& sections);

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
