#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace kmux {

/// How long a caller waits.
struct AwaitOptions {
  std::optional<std::chrono::milliseconds> timeout = {};  // default: until it is there
  std::stop_token stop = {};  // once stopped, the wait ends within 20 ms
  std::function<void()> poll = {};  // called about every 20 ms; its exceptions end the wait and reach the caller
};

}  // namespace kmux
