#include "memory_watch.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>

#include "kmux/plugin/start_thread.h"

namespace kmux::bench {

MemoryWatch::MemoryWatch() : others_(processes_now()) {
  auto started = start_thread<std::jthread>([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  if (started) thread_ = *std::move(started);  // else it looks once, at the end
}

std::uint64_t MemoryWatch::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  look();
  return most_;
}

void MemoryWatch::look() { most_ = std::max(most_, memory_under(processes_now(), getpid(), others_)); }

}  // namespace kmux::bench
