#pragma once

#include <functional>
#include <stdexcept>

namespace kmux::fibers {

/// A barrier that some threads of a group never come to: all others wait for them without end.
class Deadlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `body(i)` for every i below `threads`, each with a stack of its own, all on the calling thread: one runs until it
/// comes to a barrier or ends, then the next one. So what they share needs no lock, and every run is the same.
///
/// Errors:  throws Deadlock.
/// Threads: any; each has groups of its own. No group within a group.
void run_group(unsigned threads, const std::function<void(unsigned)>& body);

/// Within a body: waits until every thread of the group that has not ended has come to a barrier of the group.
void wait_for_group();

/// Within a body: the same for the `width` threads that the calling one is among, counted from 0; `width` is the same in
/// the whole group.
void wait_for_subgroup(unsigned width);

}  // namespace kmux::fibers
