#pragma once

namespace kmux {

/// During its lifetime, pthread_create returns EAGAIN in the thread that made it. Process limits do not apply to root,
/// as which tests may run.
class NoThreads {
 public:
  NoThreads();
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
};

}  // namespace kmux
