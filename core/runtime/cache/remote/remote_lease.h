#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "cache/disk/owned_thread.h"

namespace kmux {

/// Renews all leases of a process on one thread, started by the first lease.
///
/// If no thread can be started, leases are not renewed: they may expire early, and another node repeats the build. The
/// next lease tries again. Exceptions of a renewal are swallowed.
/// Threads: any.   Lifetime: the destructor waits for the renewal that runs.
class LeaseRenewer {
 public:
  /// Returns the renewer of this process, shared by all its owners.
  static std::shared_ptr<LeaseRenewer> of_process();

  LeaseRenewer();
  ~LeaseRenewer();
  LeaseRenewer(const LeaseRenewer&) = delete;
  LeaseRenewer& operator=(const LeaseRenewer&) = delete;

  /// Calls `renew` every `every` from now on. Returns the argument for `remove`.
  std::uint64_t add(std::function<void()> renew, std::chrono::milliseconds every);
  /// Removes a lease. Blocks while it is being renewed; it is never renewed after the return.
  void remove(std::uint64_t lease);

  bool is_forked() const { return thread_.is_forked(); }

 private:
  struct State;

  std::shared_ptr<State> state_;
  OwnedThread thread_;
};

/// A held lease, renewed by `renewer`. The destructor releases it.
///
/// Lifetime: the functions must stay valid until the destructor returns. Their exceptions are swallowed.
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
