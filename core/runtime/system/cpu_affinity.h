#pragma once

#include <cstddef>
#include <functional>
#include <sched.h>

namespace kmux {

/// As sched_getaffinity of this process: fills `set`, of `bytes`, or returns -1 and sets errno.
using GetAffinity = std::function<int(std::size_t bytes, cpu_set_t* set)>;

/// The processors that this process may run on, however many the machine has; all of the machine's where that cannot be read.
/// `get` stands for the system, for tests.
///
/// Source: sched_getaffinity(2).
std::size_t cores_of_affinity(const GetAffinity& get = [](std::size_t bytes, cpu_set_t* set) {
  return sched_getaffinity(0, bytes, set);
});

}  // namespace kmux
