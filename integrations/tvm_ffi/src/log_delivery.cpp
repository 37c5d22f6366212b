#include "log_delivery.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <string>
#include <utility>

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include "kmux/environment.h"
#include "kmux/launch_interrupt.h"
#include "kmux/log.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/printable.h"
#include "kmux/runtime.h"

#include "raised.h"

// kmux.set_log, kmux.deliver_log, kmux.is_verbose.

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

thread_local bool is_held = false;  // an exception of the language is pending
constexpr std::string_view kInterrupt = "KeyboardInterrupt";  // Python's exception, which Ctrl-C raises at any point
constexpr std::size_t kMaxLines = 1000;  // older ones are dropped

/// The log lines that were not delivered yet. Never destroyed: plugins log while the process ends.
struct KeptLines {
  std::mutex mutex;
  std::deque<std::pair<LogLevel, std::string>> lines;
  ffi::Optional<ffi::Function> receiver;
  std::atomic<bool> any = false;

  static KeptLines& all() {
    static auto& kept = *new KeptLines;
    return kept;
  }

  KeptLines() {  // so that the mutex is free in a forked child
    ::pthread_atfork([] { all().mutex.lock(); }, [] { all().mutex.unlock(); }, [] { all().mutex.unlock(); });
  }

  void keep(LogLevel level, std::string_view text) {
    const std::lock_guard lock(mutex);
    if (lines.size() == kMaxLines) lines.pop_front();
    lines.emplace_back(level, std::string(text));
    any = true;
  }
};

void set_log(const ffi::Optional<ffi::Function>& receiver) {
  KeptLines& kept = KeptLines::all();
  {
    const std::lock_guard lock(kept.mutex);
    kept.receiver = receiver;
  }
  if (!receiver) return set_log_sink(LogLevel::kDebug, {});
  set_log_sink(LogLevel::kDebug, [&kept](LogLevel level, std::string_view text) { kept.keep(level, text); });
}

/// Returns true if the language was interrupted: its exception is then pending, and no log is delivered. Returns false in
/// all threads but the process's first, which get no interrupts.
bool is_interrupted() {
  if (!is_first_thread() || TVMFFIEnvCheckSignals() == 0) return false;
  is_held = true;
  return true;
}

bool is_verbose() { return value_of(Runtime::default_runtime())->environment().verbose; }

}  // namespace

void release_log() noexcept { is_held = false; }

void throw_pending() {
  if (is_held) throw ::tvm::ffi::EnvErrorAlreadySet();
}

void deliver_log() {
  KeptLines& kept = KeptLines::all();
  if (!kept.any || is_held) return;
  try {
    std::unique_lock lock(kept.mutex);
    const auto lines = std::exchange(kept.lines, {});
    const ffi::Optional<ffi::Function> receiver = kept.receiver;
    kept.any = false;
    lock.unlock();
    if (!receiver) return;
    // As a C string: a signal that arrives while Python makes an object of a ffi::String has it freed twice (tvm-ffi 0.1.15).
    for (const auto& [level, text] : lines) (*receiver)(static_cast<std::int64_t>(level), as_utf8(text).c_str());
  } catch (const ffi::Error& error) {
    if (error.kind() == kInterrupt) throw;
  } catch (...) {  // NOLINT(bugprone-empty-catch): a line less; the compilation goes on
  }
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef()
      .def("kmux.set_log", set_log)
      .def("kmux.deliver_log",
           [] {
             release_log();
             deliver_log();
           })
      .def("kmux.is_verbose", is_verbose);
  set_launch_interrupt(is_interrupted);
}

std::function<void()> interruption() {
  if (!is_first_thread()) return {};
  return [] {
    deliver_log();
    if (is_interrupted()) throw_pending();
  };
}

}  // namespace kmux::bridge
