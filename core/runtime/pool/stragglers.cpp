#include "stragglers.h"

#include <utility>

namespace kmux {

Stragglers::~Stragglers() {
  const bool is_forked = generation_ != fork_generation();  // then they are not here
  for (std::thread& thread : threads_) is_forked ? thread.detach() : thread.join();
}

void Stragglers::adopt(std::thread thread) {
  const std::lock_guard lock(mutex_);
  threads_.push_back(std::move(thread));
}

}  // namespace kmux
