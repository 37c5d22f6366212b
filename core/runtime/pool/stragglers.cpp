#include "stragglers.h"

#include <utility>

namespace kmux {

std::shared_ptr<Stragglers> Stragglers::make() {
  std::shared_ptr<Stragglers> made(new Stragglers);
  made->self_ = made;
  return made;
}

void Stragglers::adopt(std::thread thread) {
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) stop_at_exit(self_);
  threads_.push_back(std::move(thread));
}

void Stragglers::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace kmux
