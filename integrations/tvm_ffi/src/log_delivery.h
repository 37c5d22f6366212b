#pragma once

namespace kmux::bridge {

/// Hands what was logged until now to the function that the caller's language has set (kmux.set_log), in this thread. What
/// that function throws is dropped.
///
/// The runtime's own sink only keeps the lines: it is called from any thread and under a lock, where a language with a lock
/// of its own, as Python, cannot be entered.
void deliver_log() noexcept;

/// In this thread nothing is delivered until the next LogDelivery: its language has an exception in the air, beside which it
/// cannot be entered.
void hold_log() noexcept;

/// Delivers at the end of a block.
class LogDelivery {
 public:
  LogDelivery();
  ~LogDelivery() { deliver_log(); }
  LogDelivery(const LogDelivery&) = delete;
  LogDelivery& operator=(const LogDelivery&) = delete;
};

}  // namespace kmux::bridge
