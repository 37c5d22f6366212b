#pragma once

#include <new>
#include <sched.h>

#include "nvidia/launch/context.h"
#include "printed/cubin_module.h"

namespace kmux::cutedsl {

/// The modules, by path, of a library that gets its code as files. Owns all of them.
///
/// Threads: any.
class CubinModules {
 public:
  CubinModules(const nvidia::PlanFacts& facts, const char* const* functions) : facts_(facts), functions_(functions) {}

  /// A module in use; the destructor releases it.
  class Use {
   public:
    explicit Use(CubinModule* module) : module_(module) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      if (module_ != nullptr) module_->users.fetch_sub(1, std::memory_order_release);
    }
    CubinModule* get() const { return module_; }

   private:
    CubinModule* module_;
  };

  /// Returns the module of that file, read at the first use; null after writing to `error`, with the cause in `code`.
  Use use(const char* path, int* code, kmux_sink error) {
    const nvidia::Locked locked(lock_);
    CubinModule* module = first_;
    while (module != nullptr && !module->is_of(path)) module = module->next;
    if (module == nullptr) *code = add(path, &module, error);
    if (module != nullptr) module->users.fetch_add(1, std::memory_order_relaxed);
    return Use(module);
  }

  /// Unloads all modules after the calls that use them, and continues past failures, which are written to `failures`
  /// one per line. A later use reads the file again.
  void close(kmux_sink failures) {
    const nvidia::Locked locked(closing_);
    CubinModule* module = take_all();
    log_.to = &failures;
    while (module != nullptr) {
      while (module->users.load(std::memory_order_acquire) != 0) sched_yield();
      CubinModule* const next = module->next;
      delete module;
      module = next;
    }
    log_.to = nullptr;
  }

 private:
  // The sink of the launchers' log lines: forwards them to their owner.
  struct CloseLog {
    const kmux_sink* to = nullptr;
    static void write(void* self, int level, const char* text, size_t size) {
      const CloseLog& log = *static_cast<CloseLog*>(self);
      if (log.to == nullptr || level < kLogWarning) return;
      log.to->write(log.to->self, text, size);
      log.to->write(log.to->self, "\n", 1);
    }
  };

  int add(const char* path, CubinModule** added, kmux_sink error) {
    auto* const module = new (std::nothrow) CubinModule(facts_, functions_, nvidia::Log{&log_, &CloseLog::write});
    if (module == nullptr) {
      return nvidia::fail(error, KMUX_UNAVAILABLE, "out of memory for the cubin \"%s\". Free some.", path);
    }
    if (const int code = module->open(path, error)) {
      delete module;
      return code;
    }
    module->next = first_;
    *added = first_ = module;
    return KMUX_OK;
  }

  CubinModule* take_all() {
    const nvidia::Locked locked(lock_);
    CubinModule* const all = first_;
    first_ = nullptr;
    return all;
  }

  const nvidia::PlanFacts& facts_;
  const char* const* functions_;
  nvidia::Lock closing_;
  nvidia::Lock lock_;
  CubinModule* first_ = nullptr;
  CloseLog log_;
};

}  // namespace kmux::cutedsl
