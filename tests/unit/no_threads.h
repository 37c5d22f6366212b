#pragma once

namespace kmux {

/// While it lives, the thread that made it can start no other: pthread_create returns EAGAIN. Limits on processes do not
/// hold for root, whom tests may run as.
class NoThreads {
 public:
  NoThreads();
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
};

}  // namespace kmux
