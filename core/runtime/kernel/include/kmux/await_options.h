#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace kmux {

/// The limits of a caller's wait.
struct AwaitOptions {
  std::optional<std::chrono::milliseconds> timeout = {};  // default: no limit
  std::stop_token stop = {};  // once stopped, the wait ends within 20 ms
  std::function<void()> poll = {};  // called about every 20 ms; its exceptions end the wait and reach the caller
};

}  // namespace kmux
