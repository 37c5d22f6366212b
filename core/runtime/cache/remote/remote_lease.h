#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "cache/disk/owned_thread.h"

namespace kmux {

/// Renews all leases of a process in one thread, which begins with the first lease.
///
/// Where no thread can be started leases are not renewed: they may end early, and another node makes the same once more.
/// The next lease tries again. What a renewal throws is dropped.
/// Threads: any.   Lifetime: the destructor waits for the renewal that runs.
class LeaseRenewer {
 public:
  /// The renewer of this process, shared by all who hold it.
  static std::shared_ptr<LeaseRenewer> of_process();

  LeaseRenewer();
  ~LeaseRenewer();
  LeaseRenewer(const LeaseRenewer&) = delete;
  LeaseRenewer& operator=(const LeaseRenewer&) = delete;

  /// Calls `renew` once each `every` from now on; returns what `remove` takes.
  std::uint64_t add(std::function<void()> renew, std::chrono::milliseconds every);
  /// Waits while this lease is being renewed; afterwards it never is again.
  void remove(std::uint64_t lease);

  bool is_forked() const { return thread_.is_forked(); }

 private:
  struct State;

  std::shared_ptr<State> state_;
  OwnedThread thread_;
};

/// A lease that is held: renewed by `renewer` until this object goes, which releases it.
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
