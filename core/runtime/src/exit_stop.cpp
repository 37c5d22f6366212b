#include "exit_stop.h"

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "host_api.h"

namespace kmux {
namespace {

struct Running {
  std::mutex mutex;
  std::vector<std::weak_ptr<StopsAtExit>> all;
};

/// Never destroyed: it is used while the process ends.
Running& running() {
  static Running& instance = *new Running;
  return instance;
}

void stop_all() {
  announce_stop();
  std::vector<std::weak_ptr<StopsAtExit>> all;
  {
    const std::lock_guard lock(running().mutex);
    all.swap(running().all);
  }
  for (const auto& one : all) {
    if (const auto living = one.lock()) living->stop();
  }
}

}  // namespace

void stop_at_exit(std::weak_ptr<StopsAtExit> one) {
  const std::lock_guard lock(running().mutex);
  if (running().all.empty()) std::atexit(stop_all);
  running().all.push_back(std::move(one));
}

}  // namespace kmux
