#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "lease_renewer.h"

namespace kmux {

/// A lease that somebody holds: renewed by `renewer` until this object goes, which releases it.
///
/// Lifetime: the functions may be called until the destructor returns. What they throw is dropped.
class RemoteLease {
 public:
  RemoteLease(std::shared_ptr<LeaseRenewer> renewer, std::function<void()> renew, std::chrono::milliseconds renew_every,
              std::function<void()> release);
  ~RemoteLease();
  RemoteLease(const RemoteLease&) = delete;
  RemoteLease& operator=(const RemoteLease&) = delete;

 private:
  std::shared_ptr<LeaseRenewer> renewer_;
  std::function<void()> release_;
  std::uint64_t number_;
};

}  // namespace kmux
