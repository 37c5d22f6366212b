#include "owned_thread.h"

#include <utility>

#include "kmux/plugin/start_thread.h"

#include "file_descriptor.h"

namespace kmux {

bool OwnedThread::start(const std::shared_ptr<State>& state, const char* fault_point_name) {
  if (thread_.joinable()) return true;
  if (fault_point(fault_point_name) != 0) return false;
  if (Result<std::thread> started = start_thread([state] { state->work(); })) thread_ = *std::move(started);
  return thread_.joinable();
}

void OwnedThread::end(State& state) {
  if (!thread_.joinable()) return;
  if (is_forked()) {
    thread_.detach();
    return;
  }
  {
    const std::lock_guard guard(state.mutex);
    state.ends = true;
  }
  state.changed.notify_all();
  thread_.join();
}

}  // namespace kmux
