#include "exit_stop.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/immortal.h"
#include "fork_guard.h"
#include "host_api.h"
#include "trace_log.h"

namespace kmux {
namespace {

using Clock = StopsAtExit::Clock;

struct Stopped {
  std::weak_ptr<StopsAtExit> object;
  std::uint64_t generation;  // of the process that created it
};

struct AtExit {
  std::mutex mutex;
  ForkGuard guard{mutex};
  std::vector<Stopped> all;
  std::atomic<int> cold_calls{0};
};

AtExit& at_exit() { return immortal<AtExit>(); }

std::vector<std::shared_ptr<StopsAtExit>> living() {
  std::vector<std::shared_ptr<StopsAtExit>> living;
  const std::lock_guard lock(at_exit().mutex);
  for (const Stopped& one : at_exit().all) {
    if (one.generation != fork_generation()) continue;
    if (auto object = one.object.lock()) living.push_back(std::move(object));
  }
  return living;
}

void await_cold_calls(Clock::time_point end) {
  while (at_exit().cold_calls.load() > 0 && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void stop_all() {
  static std::atomic<bool> began{false};
  if (began.exchange(true)) return;
  announce_stop();
  const Clock::time_point end = Clock::now() + kExitPatience;
  // Never released: this may be the last owner of an object, and its destructor could block.
  static const auto& objects = *new std::vector(living());
  for (const auto& object : objects) object->request_stop();
  for (const auto& object : objects) object->await_stop(end);
  await_cold_calls(end);
  silence_log(end);
}

/// Runs when the first runtime compiles, and again with the first thread. Handlers run in reverse order, and stopping
/// early spares the application's own handlers calls from kmux.
void register_handler() {
  std::atexit(stop_all);
  std::at_quick_exit(stop_all);
}

}  // namespace

void stop_at_exit(std::weak_ptr<StopsAtExit> one) {
  static const bool registered = (register_handler(), true);
  static_cast<void>(registered);
  const std::lock_guard lock(at_exit().mutex);
  std::erase_if(at_exit().all, [](const Stopped& other) { return other.object.expired(); });
  at_exit().all.push_back({std::move(one), fork_generation()});
}

ColdCall::ColdCall() noexcept {
  static const bool registered = (register_handler(), true);
  static_cast<void>(registered);
  at_exit().cold_calls.fetch_add(1);
}

ColdCall::~ColdCall() { at_exit().cold_calls.fetch_sub(1); }

Status ColdCall::check() {
  if (!is_stopping()) return Ok{};
  return make_error(
      ErrorCode::kUnavailable,
      "nothing is compiled any more (the process is ending). Compile before main returns or exit is called.");
}

void forget_cold_calls() noexcept { at_exit().cold_calls.store(0); }

}  // namespace kmux
