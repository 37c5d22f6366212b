#pragma once

#include <pthread.h>

namespace kmux::nvidia {

/// A mutex of libc, which a constant initialiser makes.
class Lock {
 public:
  constexpr Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  friend class Locked;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a lock for the length of a scope.
class Locked {
 public:
  explicit Locked(Lock& lock) : mutex_(lock.mutex_) { pthread_mutex_lock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace kmux::nvidia
