#include "remote_lease.h"

#include <condition_variable>
#include <mutex>
#include <system_error>

namespace kmux {
namespace {

void renew_until(const std::stop_token& stop, const std::function<void()>& renew, std::chrono::milliseconds every) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock guard(mutex);
  while (!stopped.wait_for(guard, stop, every, [&] { return stop.stop_requested(); })) renew();
}

}  // namespace

RemoteLease::RemoteLease(std::function<void()> renew, std::chrono::milliseconds renew_every,
                         std::function<void()> release)
    : release_(std::move(release)) {
  try {
    renewing_ = std::jthread([renew = std::move(renew), renew_every](const std::stop_token& stop) {
      renew_until(stop, renew, renew_every);
    });
  } catch (const std::system_error&) {
    renewing_ = std::jthread();  // none to be had: the lease may end early, and another node makes the same once more
  }
}

RemoteLease::~RemoteLease() {
  if (renewing_.joinable()) {
    renewing_.request_stop();
    renewing_.join();
  }
  release_();
}

}  // namespace kmux
