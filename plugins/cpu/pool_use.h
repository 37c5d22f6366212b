#pragma once

#include "kmux/plugin/plugin.hpp"

namespace kmux::cpu {

/// Takes option "cpu.threads" of the host, if it is set: how many threads a launch may use at most in this process, its caller's
/// too.
///
/// Errors: invalid_argument if it is no number from 1 to 512.
Status take_threads_option(const Host& host);

/// Somebody who may launch. With the last of them the pool's threads end.
///
/// Threads: any.
class PoolUse {
 public:
  PoolUse();
  ~PoolUse();
  PoolUse(const PoolUse&) = delete;
  PoolUse& operator=(const PoolUse&) = delete;
};

}  // namespace kmux::cpu
