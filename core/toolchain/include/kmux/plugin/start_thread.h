#pragma once

#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "kmux/error.h"

namespace kmux {

/// Starts a thread that does `work`. All threads of the runtime and of its plugins start here, so that one that cannot be
/// started (RLIMIT_NPROC, pids.max, memory) is an error and not an exception that leaves a function with a Result.
///
/// `Thread` may be std::jthread; `work` is called once and must not throw. It is lost if there is no thread: a caller that must do it all the same
/// copies what it needs.
/// Errors:  unavailable, with the system's reason.
/// Threads: any.
template <class Thread = std::thread, class Work>
Result<Thread> start_thread(Work&& work) {
  try {
    return Thread(std::forward<Work>(work));
  } catch (const std::exception& failure) {  // std::system_error, or bad_alloc
    return make_error(ErrorCode::kUnavailable, std::string("no thread can be started (") + failure.what() +
                                                   "). Raise the limit on processes, or free memory.");
  }
}

}  // namespace kmux
