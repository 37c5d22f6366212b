#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace kmux {

/// A lease that somebody holds: renewed by a thread of its own until this object goes, which releases it.
///
/// Lifetime: the functions may be called until the destructor returns.
class RemoteLease {
 public:
  RemoteLease(std::function<void()> renew, std::chrono::milliseconds renew_every, std::function<void()> release);
  ~RemoteLease();
  RemoteLease(const RemoteLease&) = delete;
  RemoteLease& operator=(const RemoteLease&) = delete;

 private:
  std::function<void()> release_;
  std::jthread renewing_;
};

}  // namespace kmux
