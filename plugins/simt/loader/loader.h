#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::simt {

/// The `atexit` functions and destructors of static objects that run when loaded code is unloaded.
///
/// The address of the list is the code's `__dso_handle`, so that each `__cxa_atexit` finds the list of its caller.
/// Threads: any.
class ExitList {
 public:
  void add(void (*function)(void*), void* argument);
  /// Runs all entries, last first, including those that are added meanwhile.
  void run();

  /// Marks the code as never to be unloaded: a thread will run the destructor of a thread-local object of it, maybe
  /// after the kernel is gone.
  void pin();
  bool pinned() const;

  /// Implement `__cxa_atexit` and `__cxa_thread_atexit`. `handle` must be an ExitList.
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
  /// Returns the entry function with which the code was loaded. Valid as long as this object.
  void* entry() const { return entry_; }
  /// Returns the address of a visible variable of the code; null if it has no such variable.
  virtual void* find(const std::string& symbol) = 0;

 protected:
  void* entry_ = nullptr;
};

/// Links relocatable `objects` into this process, runs their initialisers and finds `entry`.
///
/// Errors: unavailable that names the symbols which neither the objects nor the process define, with advice;
///         out_of_memory if the system has no memory or mappings left; invalid_argument for an object that cannot be
///         linked; launch_failed if an initialiser throws.
Result<std::unique_ptr<LoadedCode>> load_objects(std::span<const std::string> objects, const std::string& entry);

/// Opens a shared library from its bytes and finds `entry`.
///
/// Errors: unavailable with the loader's own text.
Result<std::unique_ptr<LoadedCode>> load_shared_object(const std::string& bytes, const std::string& entry);

}  // namespace kmux::simt
