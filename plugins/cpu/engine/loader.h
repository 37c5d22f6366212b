#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kmux/error.h"

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

/// Code in this process's memory.
///
/// Threads: any.   Lifetime: the destructor runs the code's own clean-up (atexit, static destructors) and frees it.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  /// The function that `load` was asked for.
  void* entry() const { return entry_; }
  /// A variable of the code that stayed visible; null if there is none.
  virtual void* find(const std::string& symbol) = 0;

 protected:
  void* entry_ = nullptr;
};

/// Links relocatable `objects` into this process, runs their initialisers and finds `entry`.
///
/// Errors: unavailable that names the symbols which neither the objects nor the process define, and how to get them;
///         invalid_argument for an object that cannot be linked; launch_failed if an initialiser throws.
Result<std::unique_ptr<LoadedCode>> load_objects(std::span<const std::string> objects, const std::string& entry);

/// Opens the bytes of a shared library and finds `entry`.
///
/// Errors: unavailable with the loader's own text.
Result<std::unique_ptr<LoadedCode>> load_shared_object(const std::string& bytes, const std::string& entry);

}  // namespace kmux::cpu
