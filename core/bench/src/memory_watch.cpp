#include "memory_watch.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>

namespace kmux::bench {

MemoryWatch::MemoryWatch()
    : others_(processes_now()), thread_([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          look();
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }) {}

std::uint64_t MemoryWatch::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  look();
  return most_;
}

void MemoryWatch::look() { most_ = std::max(most_, memory_under(processes_now(), getpid(), others_)); }

}  // namespace kmux::bench
