#include "lock_patience.h"

#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

constexpr int kSilentLooks = 10;

std::string described(pid_t process) { return process == 0 ? "another process" : "process " + std::to_string(process); }

}  // namespace

bool LockPatience::operator()(pid_t holder) {
  const std::string who = described(holder);
  if (++looks_ == 1) tell_("waits for " + who + ", which has the lock.");
  if (is_stopped(holder)) {
    warn_("goes on without " + who +
          ", which has a lock of the cache and is stopped (a kernel may be compiled twice). "
          "Continue that process, or end it.");
    return false;
  }
  if (looks_ == kSilentLooks) {
    warn_("waits for " + who +
          ", which has had a lock of the cache for some time (it compiles the same kernel). "
          "Wait, or end that process.");
  }
  return true;
}

}  // namespace kmux
